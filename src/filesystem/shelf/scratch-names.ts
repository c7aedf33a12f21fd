/**
 * Which files do programs make only for themselves, and soon remove or rename? Their names tell, as far as a name can; where a
 * person may have given it, mode or content must tell, too.
 */

/** Those of the journal's records. What `isRenamedWhenWhole` says no to goes with its program. */
export type ScratchKind = 'swap' | 'lock' | 'appledouble' | 'folder settings' | 'transfer' | 'git';

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
const READ_ONLY = 0o444;
const CVS_BACKUP = /\.\d+\.\d+$/;

const KINDS: readonly (readonly [ScratchKind, RegExp, (file: NewFile) => boolean])[] = [
  // vim, nano: .NAME.swp, and .swo when that is taken; vim tries .swx and .swpx, too
  ['swap', /^\..*\.sw([opx]|px)$/s, always],
  // vim looks whether it may create files; it never writes to this one
  ['swap', /^4913$/, isEmpty],
  // emacs saves here what is not saved yet: #NAME#
  ['swap', /^#.+#$/s, always],
  // emacs: .#NAME
  ['lock', /^\.#.+$/s, isNoBackup],
  // LibreOffice: .~lock.NAME#
  ['lock', /^\.~lock\..+#$/s, always],
  ['folder settings', /^\.DS_Store$/, always],
  // macOS, for what a file system has no place for
  ['appledouble', /^\._./s, isAppleDouble],
  // rsync: .NAME.XXXXXX
  ['transfer', /^\..+\.[A-Za-z0-9]{6}$/s, isOwnerOnly],
  // LibreOffice: lu, its process, more, .tmp
  ['transfer', /^lu\d+[a-z0-9]*\.tmp$/, isOwnerOnly],
  // sed -i
  ['transfer', /^sed[A-Za-z0-9]{6}$/, isOwnerOnly],
  // perl -i
  ['transfer', /^XX[A-Za-z0-9]{6}$/, isOwnerOnly],
  // git's objects: tmp_obj_XXXXXX, tmp_pack_XXXXXX, tmp_idx_XXXXXX
  ['git', /^tmp_[a-z]+_[A-Za-z0-9]{6}$/, isReadOnly],
  // to which it renames packs before they are given their names
  ['git', /^\.tmp-\d+-pack-[0-9a-f]{40,64}\.[a-z]+$/, isReadOnly],
];

/** Null: a file like any other. */
export function scratchKind(file: NewFile): ScratchKind | null {
  const found = KINDS.find(([, pattern, isOne]) => pattern.test(file.name) && isOne(file));
  return found === undefined ? null : found[0];
}

/** A `transfer` by its only rename; what git makes sometimes by the second. */
export function isRenamedWhenWhole(kind: ScratchKind): boolean {
  return kind === 'transfer' || kind === 'git';
}

/** With which permission bits its program creates it; 0 where that does not matter. */
export function modeAtCreation(kind: ScratchKind): number {
  if (kind === 'transfer' || kind === 'lock') return OWNER_ONLY;
  return kind === 'git' ? READ_ONLY : 0;
}

function always(): boolean {
  return true;
}

function isOwnerOnly({ mode }: NewFile): boolean {
  return (mode & 0o777) === OWNER_ONLY;
}

/** `cvs update` keeps what it merges into as .#NAME.REVISION: a person's only copy. Nobody but emacs makes its locks for the owner alone. */
function isNoBackup(file: NewFile): boolean {
  return isOwnerOnly(file) || !CVS_BACKUP.test(file.name);
}

function isReadOnly({ mode }: NewFile): boolean {
  return (mode & 0o777) === READ_ONLY;
}

function isEmpty({ start }: NewFile): boolean {
  return start === null || start.length === 0;
}

function isAppleDouble({ start }: NewFile): boolean {
  return start === null || APPLE_DOUBLE.every((byte, index) => start[index] === byte);
}
