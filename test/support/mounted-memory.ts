/** The module that a driver test mounts: the file system in memory, with its knobs over the child's messages. */
import type { ErrnoName } from '../../src/filesystem/errors.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { MemoryFileSystem } from './memory-file-system.ts';

/** What a test may ask of the mounted file system. */
export type MemoryMessage =
  | { readonly ask: 'fail'; readonly operation: string; readonly code?: ErrnoName }
  | { readonly ask: 'delay'; readonly operation: string; readonly milliseconds: number }
  | { readonly ask: 'hold'; readonly operation: string; readonly path: string }
  | { readonly ask: 'let-go' }
  | { readonly ask: 'calls' }
  | { readonly ask: 'open-count' }
  | { readonly ask: 'text'; readonly path: string };

const mounted = new MemoryFileSystem();

export function openFileSystem(): Promise<FileSystemOperations> {
  return Promise.resolve(mounted);
}

export function answer(message: MemoryMessage): Promise<unknown> {
  switch (message.ask) {
    case 'fail':
      mounted.fail(message.operation, message.code);
      return Promise.resolve();
    case 'delay':
      mounted.delay(message.operation, message.milliseconds);
      return Promise.resolve();
    case 'hold':
      mounted.hold(message.operation, message.path);
      return Promise.resolve();
    case 'let-go':
      mounted.letGo();
      return Promise.resolve();
    case 'calls':
      return Promise.resolve(mounted.takeCalls());
    case 'open-count':
      return Promise.resolve(mounted.openCount);
    case 'text':
      return Promise.resolve(mounted.text(message.path));
  }
}
