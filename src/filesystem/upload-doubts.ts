/** What may the service have of a file though no answer said so? What was sent, and what its PUTs may have done to its visibility. */
import type { Visibility } from '../service/records.ts';
import type { Version } from '../store/version.ts';

/** Of one file: what was tried before the last hundred other contents does not come any more, or is a stranger's. */
const MOST = 100;

/** Those of one file, since an answer last told what the service has of it. */
export class UploadDoubts {
  /** What PUTs without a known end tried to store, the newest last. */
  versions: readonly Version[] = [];
  /** The visibility of the object before the first of those PUTs, which may have made it private. */
  visibilityBefore: Visibility | null = null;
  /** When that was seen here, monotonic milliseconds; Infinity: an earlier mount saw it. */
  seenAt = Number.POSITIVE_INFINITY;

  /** A PUT without a known end tried to store `version`. While a service is away the same bytes are tried thousands of times: they are one. */
  add(version: Version): void {
    const others = this.versions.filter((each) => !each.isTriedAs(version));
    this.versions = [...others, version].slice(-MOST);
  }

  /** It is known what the service has. */
  settle(): void {
    this.versions = [];
    this.visibilityBefore = null;
  }
}
