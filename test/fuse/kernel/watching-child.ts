/** A process that has nothing to do but to watch, for a while. It says whether it got that far. */
import { loadDeviceCalls } from '../../../src/fuse/kernel/device-calls.ts';
import { loadSocketCalls } from '../../../src/fuse/kernel/socket-calls.ts';

const [near] = (await loadSocketCalls()).openPair();
const watch = (await loadDeviceCalls()).watch(near, () => undefined);
if (process.argv.includes('paused')) watch.pause();
// The event loop does not wait for this one, so it comes only where something else keeps the process alive.
setTimeout(() => {
  process.send?.('alive');
  watch.close();
}, 20).unref();
