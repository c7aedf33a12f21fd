/**
 * What does fuse-native's addon offer, and how is it loaded?
 *
 * Only the addon is used. The package's own JavaScript is left alone: it unmounts through a shell and always lazily, drops
 * half of what libfuse says, and can set programs set-uid (`Fuse.configure`).
 *
 * The addon wants the system's libfuse.so.2, which newer systems do not have. The package brings one, under a name that
 * the loader does not look for: loaded beforehand it satisfies the addon.
 */
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import path from 'node:path';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { MountError } from '../driver.ts';
import type { NativeOperation } from './native-calls.ts';

/** Wakes the libfuse thread behind `locals` with its result (0, a count, or a negative errno). Exactly once a call. */
export type NativeSignal = (locals: Buffer, result: number, ...payload: readonly unknown[]) => void;
/** What the addon calls on the main thread for each request of the kernel. */
export type NativeHandler = (locals: Buffer, opcode: number, ...parameters: readonly unknown[]) => void;

type Signals = Readonly<Record<`fuse_native_signal_${NativeOperation | 'init'}`, NativeSignal>>;
type Opcodes = Readonly<Record<`op_${NativeOperation | 'init'}`, number>>;

/** The addon's exports that are used. */
export interface NativeBinding extends Signals, Opcodes {
  readonly sizeof_fuse_thread_t: number;
  /** Mounts, and starts libfuse's loop in a thread of its own. Throws "fuse failed" and, after a bad option, leaves the mount. */
  fuse_native_mount(
    mountpoint: string,
    optionString: string,
    thread: Buffer,
    context: object,
    allocate: (size: number) => Buffer,
    handlers: readonly (NativeHandler | undefined)[],
    implemented: Uint32Array,
  ): void;
  /** Unmounts nothing: lets the event loop end. */
  fuse_native_unmount(mountpoint: string, thread: Buffer): void;
}

/** RTLD_NODELETE, which Node does not list: the library stays although Node finds no addon in it. */
const KEEP_LOADED = 0x1000;

/** Rejects with a `MountError` of kind `no-fuse` when there is no build for this machine. */
export function loadNativeBinding(log: Log): NativeBinding {
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve('fuse-native/package.json');
    const folder = path.dirname(manifest);
    if (process.platform === 'linux') preloadLibrary(folder, log);
    const load = createRequire(manifest)('node-gyp-build') as (folder: string) => NativeBinding;
    return load(folder);
  } catch (error) {
    throw new MountError(
      'no-fuse',
      `the native driver does not load on ${process.platform}-${process.arch}: it is built for linux-x64 and darwin-x64`,
      { cause: error },
    );
  }
}

function preloadLibrary(folder: string, log: Log): void {
  const library = path.join(folder, 'prebuilds', `linux-${process.arch}`, 'libfuse.so');
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_GLOBAL | KEEP_LOADED);
  } catch (error) {
    // Expected: "Module did not self-register". Should it be another reason, loading the addon fails next and says so.
    log.debug('the bundled libfuse is loaded as a plain library', { reason: describeError(error) });
  }
}
