/** What is done with a bucket, and measured? The same by programs on a mount, by a plain HTTP client, or on the local disk. */
import type { Contents } from '../contents/contents.ts';
import type { HttpFloor } from '../floor/http-floor.ts';
import type { ExpectedFile } from '../store/held-files.ts';

/** Takes a check that throws when anything but what should be was found: it is made when the clock has stopped. */
export type Afterwards = (check: () => void) => void;

/** One thing that is measured. Who has no way to do it is left out. Each way rejects when it found anything but what it should. */
export interface Step {
  /** Without the network's: that is added. */
  readonly name: string;
  /** Before it, unmeasured, the kernel forgets what it read, also of the local disk. */
  readonly dropsCaches?: boolean;
  /** Programs, at the top of a mount. */
  readonly onMount: (mountpoint: string, afterwards: Afterwards) => Promise<void>;
  /** The least requests that do the same. */
  readonly onFloor?: (floor: HttpFloor, afterwards: Afterwards) => Promise<void>;
  /** Only so many requests at a time are one way to do it; any when absent. */
  readonly floorWidths?: readonly number[];
  /** The same with a local file. */
  readonly onDisk?: () => Promise<void>;
  /** All that the bucket holds afterwards: only then is the step over. Absent where nothing is changed. */
  readonly holds?: readonly ExpectedFile[];
}

/** Steps in order on one fresh mount. */
export interface Scene {
  /** What the bucket holds, which nobody changes; null: nothing, in a bucket that is this turn's alone. */
  readonly contents: Contents | null;
  readonly steps: readonly Step[];
}
