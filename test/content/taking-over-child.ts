/** A process that begins to take over state directories, says so, and goes on until it is done or killed. */
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import { openLocalState } from '../../src/content/local-state.ts';

const [own = '', ...others] = process.argv.slice(2);
process.send?.('begins');
await openLocalState([own, ...others], { files: nodeLocalFiles, clock: systemClock, log: silentLog });
process.send?.('done');
