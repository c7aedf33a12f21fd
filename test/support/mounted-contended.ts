/**
 * The module that a test of the kernel driver mounts when others change what is mounted: the file system in memory, calls of which
 * can be held, and the driver's own way to tell the kernel something unasked.
 */
import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { silentLog } from '../../src/base/log.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { dropCached, expireName } from '../../src/fuse/kernel/notifications.ts';
import { Notifier } from '../../src/fuse/kernel/notifier.ts';
import { MemoryFileSystem } from './memory-file-system.ts';

/** What a test may ask of the mounted file system, and through it of the kernel. */
export type ContendedMessage =
  | { readonly ask: 'hold'; readonly operation: string; readonly path: string }
  | { readonly ask: 'let-go' }
  | { readonly ask: 'trust'; readonly milliseconds: number }
  | { readonly ask: 'replace'; readonly path: string; readonly text: string }
  | { readonly ask: 'remove'; readonly path: string }
  | { readonly ask: 'expire'; readonly folder: number; readonly name: string }
  | { readonly ask: 'drop'; readonly node: number; readonly what: 'attributes' | 'bytes' }
  /** Resolves when all that was to be told is told, or the mount is gone. */
  | { readonly ask: 'told' }
  /** Makes the file `standing`, does nothing at all until the file `until` is there, then exits. */
  | { readonly ask: 'stand-still-and-exit'; readonly standing: string; readonly until: string }
  | { readonly ask: 'calls' };

const mounted = new MemoryFileSystem();
const telling: { notifier?: Notifier } = {};

export function openFileSystem(): Promise<FileSystemOperations> {
  return Promise.resolve(mounted);
}

export async function answer(message: ContendedMessage): Promise<unknown> {
  switch (message.ask) {
    case 'hold':
      mounted.hold(message.operation, message.path);
      return;
    case 'let-go':
      mounted.letGo();
      return;
    case 'trust':
      mounted.trust(message.milliseconds);
      return;
    case 'replace':
      mounted.replace(message.path, message.text);
      return;
    case 'remove':
      mounted.remove(message.path);
      return;
    case 'expire':
      notifier().send(expireName(message.folder, message.name));
      return;
    case 'drop':
      notifier().send(dropCached(message.node, message.what));
      return;
    case 'told':
      await telling.notifier?.written();
      return;
    case 'stand-still-and-exit':
      writeFileSync(message.standing, '');
      while (!existsSync(message.until)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      return process.exit(0);
    case 'calls':
      return mounted.takeCalls();
  }
}

function notifier(): Notifier {
  telling.notifier ??= new Notifier(deviceDescriptor(), silentLog);
  return telling.notifier;
}

/** Of this process's only mount. */
function deviceDescriptor(): number {
  const folder = '/proc/self/fd';
  const found = readdirSync(folder).find((name) => {
    try {
      return readlinkSync(`${folder}/${name}`) === '/dev/fuse';
    } catch {
      // The one that listed this folder is closed by now.
      return false;
    }
  });
  if (found === undefined) throw new Error('nothing is mounted');
  return Number(found);
}
