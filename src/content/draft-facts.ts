/**
 * What must be known of a draft to store it, whoever finds it?
 *
 * The same facts stand in the journal and in the header of the draft itself: a draft whose journal is lost can still be named,
 * listed and stored. Both are read from a disk that may have lost or turned bytes, so both are validated.
 */
import { z } from 'zod';

const time = z.number();
const count = z.int().nonnegative();

/** One content of one key, as far as it is known: what an ETag names, or what an upload of ours without a name was. */
export const versionFacts = z.strictObject({
  size: count,
  /** Null: an upload of ours that the service has not named yet. */
  etag: z.string().nullable(),
  /** Lower-case hexadecimal; null when nothing told it. */
  md5: z.string().nullable(),
  /** Milliseconds since 1970, as all times here; the service's, or of our PUT. */
  lastModified: time,
  /** When an upload of ours was stored, on the service's clock. */
  storedWithin: z.strictObject({ from: time, to: time }).nullable(),
  contentType: z.string().nullable(),
});

export const localAttributes = z.strictObject({
  mode: count.optional(),
  uid: count.optional(),
  gid: count.optional(),
  atime: time.optional(),
  mtime: time.optional(),
  ctime: time.optional(),
});

export const draftFacts = z.strictObject({
  key: z.string().min(1),
  /** The version that an edit was made from, or that a rewrite replaces; null: none was known. */
  base: versionFacts.nullable(),
  /** Only an edit can conflict with a foreign change. */
  basis: z.enum(['edit', 'rewrite']),
  /** Set by a program; null: guessed from the name. */
  contentType: z.string().nullable(),
  /** What the object shall have after the upload; null: as the mount decides. */
  visibility: z.enum(['private', 'public']).nullable(),
  local: localAttributes,
  createdAt: time,
  /**
   * The whole content as a program left it at its last close; null: still being written, so perhaps half a file. `at`: when it was last
   * changed, or got its name.
   */
  sealed: z
    .strictObject({ size: count, /** Null when not known yet. */ md5: z.string().nullable(), at: time })
    .nullable(),
});

export type VersionRecord = Readonly<z.infer<typeof versionFacts>>;
export type DraftFacts = Readonly<z.infer<typeof draftFacts>>;
