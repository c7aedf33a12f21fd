/** After how long is something tried again that nobody waits for? */
import { isRefusal } from '../../service/refusal.ts';

/** Milliseconds. */
const FIRST = 1000;
const LONGEST = 60_000;
/** While the account takes no uploads (402): that ends when somebody has paid, and until then each look may cost a whole body. */
const LONGEST_PAUSED = 300_000;

/** Milliseconds after the `failures`th failure in a row, the last of them `error`. `random` is at least 0 and less than 1. */
export function retryDelay(error: unknown, failures: number, random: number): number {
  const longest = isRefusal(error, 'paused') ? LONGEST_PAUSED : LONGEST;
  // The exponent is bounded so that the product is never Infinity.
  const delay = Math.min(longest, FIRST * 2 ** Math.min(failures - 1, 30));
  // Between a half and all of it, so that many mounts do not come back at the same moment.
  return delay * (0.5 + random / 2);
}
