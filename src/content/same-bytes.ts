/** Do two drafts hold the very same bytes? Read side by side: what an MD5 cannot tell is told by nothing less. */
import { readFully, type LocalFile } from './local-files.ts';

/** Bytes of each that are in memory at once. */
const AT_ONCE = 256 * 1024;

/** From start to end. Rejects with the disk's error. */
export async function haveSameBytes(
  one: Pick<LocalFile, 'read'>,
  other: Pick<LocalFile, 'read'>,
): Promise<boolean> {
  const ofOne = Buffer.allocUnsafeSlow(AT_ONCE);
  const ofOther = Buffer.allocUnsafeSlow(AT_ONCE);
  for (let position = 0; ; position += AT_ONCE) {
    const [read, readOfOther] = await Promise.all([
      readFully(one, ofOne, position),
      readFully(other, ofOther, position),
    ]);
    if (!ofOne.subarray(0, read).equals(ofOther.subarray(0, readOfOther))) return false;
    if (read < AT_ONCE) return true;
  }
}
