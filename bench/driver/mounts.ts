/** How does each subject get the tree mounted? Always freshly, in a process of its own that dies when its time is up. */
import { silentLog } from '../../src/base/log.ts';
import { raiseReadAhead } from '../../src/fuse/read-ahead.ts';
import { mountForTest } from '../../test/support/mounted.ts';
import { enterUndo, requireGoingOn } from '../frame/undoing.ts';
import { mountProgram } from '../mounts/mounted-program.ts';
import type { MemoryTreeOptions } from './memory-tree.ts';
import { BIG_BYTES, SMALL_FILES } from './tree.ts';

export interface MountedTree {
  readonly path: string;
  /** Nothing is left mounted or running. */
  dispose(): Promise<void>;
}

const LIFETIME_MS = 300_000;
const MODULE = new URL('./memory-tree.ts', import.meta.url);

export async function mountByDriver(
  driver: 'kernel' | 'native',
  options: MemoryTreeOptions,
): Promise<MountedTree> {
  requireGoingOn();
  // libfuse writes a line for each thread that the native driver keeps it from making: hundreds of thousands.
  const isMute = driver === 'native';
  const mounting = mountForTest({ module: MODULE, options, driver, lifetime: LIFETIME_MS, isMute });
  const dispose = enterUndo(() =>
    mounting.then(
      (mounted) => mounted.dispose(),
      // It has left nothing then.
      () => undefined,
    ),
  );
  return { path: (await mounting).path, dispose };
}

/** `program` is memory-tree.c, compiled. */
export async function mountByC(program: string, { validFor }: MemoryTreeOptions): Promise<MountedTree> {
  const options = 'default_permissions,fsname=pailfs-bench,subtype=pailfs';
  const mount = await mountProgram({
    program,
    parameters: ({ mountpoint }) => [
      ...[SMALL_FILES, BIG_BYTES].map(String),
      '-f',
      '-o',
      options,
      mountpoint,
    ],
    environment: { VALID_SECONDS: String(validFor / 1000) },
  });
  await raiseReadAhead(mount.path, silentLog);
  return mount;
}
