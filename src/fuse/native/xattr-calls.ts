/** How are libfuse's calls on extended attributes answered? */
import { constants } from 'node:os';
import { FsError } from '../../filesystem/errors.ts';
import type { XattrSetMode } from '../../filesystem/operations.ts';
import type { DriverContext } from './driver-context.ts';
import { isHiddenPath } from './name-rules.ts';
import { isServedXattr, unservedXattr } from '../../filesystem/attributes/xattr-namespaces.ts';
import { DONE, type NativeAnswer, type NativeCalls } from './native-calls.ts';

type XattrOperation = 'getxattr' | 'setxattr' | 'listxattr' | 'removexattr';

/** setxattr(2)'s flags; macOS has the same two, one bit higher. */
const CREATE_FLAG = process.platform === 'darwin' ? 2 : 1;
const REPLACE_FLAG = process.platform === 'darwin' ? 4 : 2;

/** Names outside `user.` are answered without asking the file system: each write(2) of a program asks for one. */
export function xattrCalls({ operations }: DriverContext): Pick<NativeCalls, XattrOperation> {
  return {
    getxattr: (path, name, into) => {
      if (!isServed(path, name)) throw new FsError(unservedXattr(name), path, `no attribute ${name}`);
      return operations.getXattr(path, name).then((value) => sizedAnswer(value, into));
    },
    setxattr: async (...[path, name, value, , flags]) => {
      if (!isServed(path, name)) throw new FsError('ENOTSUP', path, `attribute ${name} cannot be set`);
      // A copy: the addon's buffer is gone after the answer.
      await operations.setXattr(path, name, Uint8Array.from(value), setMode(flags));
      return { result: 0, payload: [value.buffer] };
    },
    listxattr: async (path, into) => {
      const names = isHiddenPath(path) ? [] : await operations.listXattrs(path);
      return sizedAnswer(Buffer.from(names.map((name) => `${name}\0`).join('')), into);
    },
    removexattr: async (path, name) => {
      if (!isServed(path, name)) throw new FsError('ENOTSUP', path, `attribute ${name} cannot be removed`);
      await operations.removeXattr(path, name);
      return DONE;
    },
  };
}

/** A file deleted while open has none. */
const isServed = (path: string, name: string): boolean => isServedXattr(name) && !isHiddenPath(path);

/** The addon's answer for getxattr(2) and listxattr(2): the size alone when no room was offered, ERANGE when too little. */
function sizedAnswer(value: Uint8Array, into: Buffer): NativeAnswer {
  if (into.length > 0) {
    if (value.length > into.length) return { result: -constants.errno.ERANGE, payload: [into.buffer] };
    into.set(value);
  }
  return { result: value.length, payload: [into.buffer] };
}

function setMode(flags: number): XattrSetMode {
  if ((flags & CREATE_FLAG) !== 0) return 'create';
  return (flags & REPLACE_FLAG) !== 0 ? 'replace' : 'any';
}
