/** What does a bucket hold that is read and never changed? */
import type { PatternedFile } from './pattern.ts';

/** A small file, whole. */
export interface StoredFile {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** Put into a bucket once, for all who read it. */
export type Contents =
  { readonly files: readonly StoredFile[] } | { readonly patterned: readonly PatternedFile[] };
