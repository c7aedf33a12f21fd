/** A process that reads through a disk cache until it is told to stop, or killed; it says so when it has begun. */
import { CacheUser } from './cache-user.ts';

export type CacheUserReply =
  | 'begins'
  | {
      readonly read: number;
      readonly kept: number;
      readonly wrong: readonly string[];
      readonly warnings: readonly string[];
    };

const [directory = '', seed = ''] = process.argv.slice(2);
const warnings: string[] = [];
const note = (message: string): void => {
  warnings.push(message);
};
const log = { debug: () => undefined, info: note, warn: note, error: note };
const user = new CacheUser({ directory, seed: Number(seed), log });
let isToStop = false;
process.on('message', () => (isToStop = true));
await user.readSome();
process.send?.('begins' satisfies CacheUserReply);
// It may be told so at any time.
while (!(isToStop as boolean)) await user.readSome();
await user.close();
process.send?.({ ...user.tally, warnings } satisfies CacheUserReply);
process.disconnect();
