/** Which attributes does a program set, and which is it shown: those that were set here, and what where none were? */
import type { LocalAttributes } from '../../store/version.ts';
import type { AttributeChange, Attributes, CreateIntent } from '../operations.ts';
import type { FileSystemSettings } from '../settings.ts';

export const FILE_MODE = 0o666;
export const FOLDER_MODE = 0o777;

export type ShownAttributes = Omit<
  Attributes,
  'kind' | 'identity' | 'follows' | 'size' | 'links' | 'validFor'
>;

/** `mode`, before the umask, and `modified`, milliseconds since 1970, stand where nothing was set. */
export function shownAttributes(
  local: LocalAttributes,
  { uid, gid, umask }: Pick<FileSystemSettings, 'uid' | 'gid' | 'umask'>,
  { mode, modified }: { readonly mode: number; readonly modified: number },
): ShownAttributes {
  const mtime = local.mtime ?? modified;
  return {
    mode: local.mode ?? mode & ~umask,
    uid: local.uid ?? uid,
    gid: local.gid ?? gid,
    mtime,
    atime: local.atime ?? mtime,
    ctime: local.ctime ?? mtime,
  };
}

/**
 * `local`, with `change` in place of what it says. Of what nobody has set an access time of mtime stands for it, `modified` where nobody has set
 * that either: it is not to move along.
 */
export function changedLocal(
  local: LocalAttributes,
  change: LocalAttributes,
  modified: number | undefined,
): LocalAttributes {
  if (change.mtime === undefined) return { ...local, ...change };
  return { ...local, atime: local.atime ?? local.mtime ?? modified, ...change };
}

/** What is just made has these: it is its maker's where the mount's settings say so, and else the mount's, as all of which nothing is known. */
export function localOfNew(
  { mode, maker }: Pick<CreateIntent, 'mode' | 'maker'>,
  { uid, gid, makersOwn }: Pick<FileSystemSettings, 'uid' | 'gid' | 'makersOwn'>,
  now: number,
): LocalAttributes {
  const local = { mode: mode & 0o7777, mtime: now, ctime: now, atime: now };
  const isMounts = maker === undefined || (maker.uid === uid && maker.gid === gid);
  return makersOwn && !isMounts ? { ...local, ...maker } : local;
}

/** What `change`, made at the moment `now`, sets. */
export function localOf(change: AttributeChange, now: number): LocalAttributes {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return { ...given, ctime: now };
}
