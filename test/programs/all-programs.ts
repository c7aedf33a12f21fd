/** Which programs are counted? */
import { archives } from './archives.ts';
import { databases } from './databases.ts';
import { editors } from './editors.ts';
import { office } from './office.ts';
import type { Program } from './program.ts';
import { projects } from './projects.ts';

/** What `npm test` runs. */
export const everyday: readonly Program[] = [...editors, ...archives, ...projects, ...databases];
/** What only `npm run test:long` does. */
export const heavy: readonly Program[] = office;
