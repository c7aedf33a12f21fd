/**
 * Which files do programs make only for themselves, and soon remove or rename? Their names tell, as far as a name can; where a
 * person may have given it, mode or content must tell, too.
 */

/** Those of the journal's records. A `transfer` is renamed when it is whole; the others go with their program. */
export type ScratchKind = 'swap' | 'lock' | 'appledouble' | 'folder settings' | 'transfer';

export interface NewFile {
  readonly name: string;
  /** Permission bits with which it was created. */
  readonly mode: number;
  /** Its first four bytes, or all when there are fewer; null: not known yet, and the kind is then what it may be. */
  readonly start: Uint8Array | null;
}

/** Bytes of `start` that are looked at. */
export const START_SIZE = 4;

const APPLE_DOUBLE = [0x00, 0x05, 0x16, 0x07];
const OWNER_ONLY = 0o600;

const KINDS: readonly (readonly [ScratchKind, RegExp, (file: NewFile) => boolean])[] = [
  // vim, nano: .NAME.swp, and .swo when that is taken; vim tries .swx and .swpx, too
  ['swap', /^\..*\.sw([opx]|px)$/s, always],
  // vim looks whether it may create files; it never writes to this one
  ['swap', /^4913$/, isEmpty],
  // emacs saves here what is not saved yet: #NAME#
  ['swap', /^#.+#$/s, always],
  // emacs: .#NAME; LibreOffice: .~lock.NAME#
  ['lock', /^(\.#.+|\.~lock\..+#)$/s, always],
  ['folder settings', /^\.DS_Store$/, always],
  // macOS, for what a file system has no place for
  ['appledouble', /^\._./s, isAppleDouble],
  // rsync: .NAME.XXXXXX
  ['transfer', /^\..+\.[A-Za-z0-9]{6}$/s, ({ mode }) => (mode & 0o777) === OWNER_ONLY],
];

/** Null: a file like any other. */
export function scratchKind(file: NewFile): ScratchKind | null {
  const found = KINDS.find(([, pattern, isOne]) => pattern.test(file.name) && isOne(file));
  return found === undefined ? null : found[0];
}

function always(): boolean {
  return true;
}

function isEmpty({ start }: NewFile): boolean {
  return start === null || start.length === 0;
}

function isAppleDouble({ start }: NewFile): boolean {
  return start === null || APPLE_DOUBLE.every((byte, index) => start[index] === byte);
}
