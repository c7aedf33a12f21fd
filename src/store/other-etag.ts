/** Was a file replaced, or do the service's answers about it not agree? Who looks for who replaced it shall know of the second. */
import type { ObjectHead } from '../service/records.ts';

/** What answers tell besides the ETag. */
type Alike = Pick<ObjectHead, 'size' | 'lastModified'>;

/** Whether nothing but the ETag of `found` is another than that of what is meant. Times are compared as the service tells them (§2.3). */
export function isOnlyOfOtherEtag(found: Alike | null, meant: Alike): boolean {
  return (
    found !== null &&
    found.size === meant.size &&
    secondOf(found.lastModified) === secondOf(meant.lastModified)
  );
}

function secondOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
