/**
 * How does plain Node 20 run the project's TypeScript? Loaded by `node --import`, in each of its threads: each module's types are
 * stripped when it is imported.
 */
import { register } from 'node:module';
import { URL } from 'node:url';

register(new URL('./typescript-hooks.mjs', import.meta.url));
