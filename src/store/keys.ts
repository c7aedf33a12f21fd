/**
 * Which keys can be shown as names, and which names can be keys?
 *
 * Path `/a/b` is key `a/b`. A name is usable when it is non-empty, is neither `.` nor `..`, has neither `/` nor NUL and is at
 * most 255 bytes of UTF-8, the kernel's limit.
 */

/** UTF-8, without a zero at the end. */
export const MAX_NAME_BYTES = 255;

/** Whether a program can be shown `name`, and may create it. */
export function isUsableName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !/[/\0]/.test(name) &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES
  );
}

/** Empty for the top. */
export function keyOfPath(path: string): string {
  return path.slice(1);
}

/** Of a file's key, or of a folder's, which ends in a slash. */
export function pathOfKey(key: string): string {
  return `/${key.replace(/\/$/, '')}`;
}

/** What `path`, which is `from` or inside it, is called where `from` is called `to`. */
export function pathAfterRename(path: string, from: string, to: string): string {
  return to + path.slice(from.length);
}

/** Whether `path` is `top`, or below it. */
export function isWithin(path: string, top: string): boolean {
  return path === top || path.startsWith(top === '/' ? '/' : `${top}/`);
}

/** The folder that `path` is in; the top's is itself. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** Empty for the top. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path of `name` inside the folder at `folder`. */
export function childOf(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}
