/**
 * Which extended attributes does a mount have at all? Those of `user.`: all others are answered from memory, since the kernel asks for
 * security.capability before each write(2).
 */

/** Linux's namespaces that a mount does not have: no ACLs, no labels, no capabilities. */
const UNSUPPORTED = ['security.', 'system.', 'trusted.'] as const;

/** Whether files of a mount can have an attribute of that name. */
export function isServedXattr(name: string): boolean {
  return name.startsWith('user.');
}

/**
 * What a read of an attribute that no file of a mount has is told. A namespace that is not there is ENOTSUP, as on disks without
 * it: `ls -l` asks for two attributes of each file until it hears that once, and never again in that file system. Other names,
 * as `com.apple.` ones, are merely absent.
 */
export function unservedXattr(name: string): 'ENOTSUP' | 'ENODATA' {
  return UNSUPPORTED.some((namespace) => name.startsWith(namespace)) ? 'ENOTSUP' : 'ENODATA';
}
