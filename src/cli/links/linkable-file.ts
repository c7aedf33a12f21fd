/** What can be asked of a file that has, or gets, a link? The same in a mount and in a bucket. */
import type { Visibility } from '../../service/records.ts';

export interface FileLink {
  readonly visibility: Visibility;
  /** Permanent for a public file, temporary for a private one (§2.5). Null: not before the file is stored. */
  readonly url: string | null;
  /** When it stops working; null: it lasts as long as the file is public. */
  readonly expiresAt: Date | null;
}

/** Both reject with a `CommandError` or a `Refusal`. */
export interface LinkableFile {
  /** What a person calls it. */
  readonly what: string;
  link(): Promise<FileLink>;
  setVisibility(visibility: Visibility): Promise<FileLink>;
}
