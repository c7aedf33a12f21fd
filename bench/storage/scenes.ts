/** What is done with a bucket, and measured? The same by programs on a mount and by a plain HTTP client. */
import type { HttpFloor } from '../floor/http-floor.ts';
import type { ExpectedFile } from '../store/store-process.ts';

/** One thing that is measured. */
export interface Step {
  /** Without the network's: that is added. */
  readonly name: string;
  /** Programs, at the top of a mount. */
  readonly onMount: (mountpoint: string) => Promise<void>;
  /** The least requests that do the same. */
  readonly onFloor: (floor: HttpFloor) => Promise<void>;
  /** All that the bucket holds afterwards: only then is the step over. */
  readonly holds: readonly ExpectedFile[];
}

/** Steps in order on one fresh mount of one fresh bucket. */
export interface Scene {
  /** Before the mount. */
  readonly stored: readonly StoredFile[];
  readonly steps: readonly Step[];
}

export interface StoredFile {
  readonly key: string;
  readonly bytes: Uint8Array;
}
