/** What is one mount of the native driver, from the kernel's first word to its last? */
import { describeError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { MountError, type Mounted, type UnmountOptions } from '../driver.ts';
import { findMount } from '../mount-table.ts';
import { clearFailedMount, clearLetGo } from '../mountpoint.ts';
import { withinReadyLimit } from '../ready-limit.ts';
import { unmountMoved } from '../unmount.ts';
import type { NativeBinding } from './binding.ts';
import { connectionProbe, deviceDescriptors, letGoProbe, type ConnectionProbe } from './connection.ts';
import { handlerTable } from './dispatcher.ts';
import type { DriverContext } from './driver-context.ts';
import { releaseFile } from './file-calls.ts';
import { ThreadLocals } from './thread-locals.ts';

/** Everything a mount is made of. */
export interface NativeMountParts {
  readonly binding: NativeBinding;
  readonly context: DriverContext;
  readonly clock: Clock;
  /** Canonical. */
  readonly mountpoint: string;
  readonly optionString: string;
}

/** How soon an unmount by somebody else is noticed. */
const WATCH_PAUSE_MS = 500;
/** How often to look once we have asked for the end ourselves. */
const END_PAUSE_MS = 10;

/** libfuse's threads work on these as long as the process lives, and nothing in the addon keeps them from being collected. */
const keptForLibfuse = new Set<Buffer>();

interface Probes {
  readonly isConnected: ConnectionProbe;
  readonly isLetGo: ConnectionProbe;
}

export class NativeMount implements Mounted {
  readonly closed: Promise<void>;

  readonly #parts: NativeMountParts;
  readonly #thread: Buffer;
  readonly #isConnected: ConnectionProbe;
  readonly #isLetGo: ConnectionProbe;
  /** Of what is mounted; empty where the platform does not tell. */
  readonly #device: string;
  /** Aborted once we have asked for the end ourselves. */
  readonly #ending = new AbortController();

  private constructor(parts: NativeMountParts, thread: Buffer, probes: Probes, device: string) {
    this.#parts = parts;
    this.#thread = thread;
    this.#isConnected = probes.isConnected;
    this.#isLetGo = probes.isLetGo;
    this.#device = device;
    this.closed = this.#watch();
  }

  /** Mounts; resolves when the kernel and libfuse have agreed. On a rejection (`MountError`) nothing is left mounted. */
  static async open(parts: NativeMountParts): Promise<NativeMount> {
    const { binding, context, mountpoint } = parts;
    const thread = Buffer.alloc(binding.sizeof_fuse_thread_t);
    keptForLibfuse.add(thread);
    const threads = new ThreadLocals(context.log);
    const before = deviceDescriptors();
    const tooLate = (): Error => new Error('the kernel did not answer');
    try {
      await withinReadyLimit<null>(parts.clock, tooLate, (resolve) => {
        const onReady = (): void => {
          resolve(null);
        };
        const { handlers, implemented } = handlerTable(binding, context, threads, onReady);
        const { optionString } = parts;
        binding.fuse_native_mount(
          mountpoint,
          optionString,
          thread,
          {},
          threads.allocate,
          handlers,
          implemented,
        );
      });
    } catch (error) {
      binding.fuse_native_unmount(mountpoint, thread);
      // After a refused option the kernel has already mounted.
      await clearFailedMount(mountpoint, context.log, parts.clock);
      throw new MountError('failed', `${mountpoint} could not be mounted: libfuse's reason is on stderr`, {
        cause: error,
      });
    }
    const probes = { isConnected: connectionProbe(before, mountpoint), isLetGo: letGoProbe(before) };
    const device = (await findMount(mountpoint))?.device ?? '';
    return new NativeMount(parts, thread, probes, device);
  }

  async unmount(options: UnmountOptions): Promise<void> {
    const { mountpoint, clock } = this.#parts;
    // Once the kernel has let go it may have given the number to somebody else's mount.
    if (!(await this.#isLetGo())) await unmountMoved({ mountpoint, device: this.#device }, options, clock);
    // What is still open ends a lazy unmount whenever it likes.
    if (options.lazy) return;
    this.#ending.abort();
    await this.closed;
  }

  #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  async #pause(): Promise<void> {
    const { clock } = this.#parts;
    if (this.#isEnding()) return clock.sleep(END_PAUSE_MS);
    try {
      await clock.sleep(WATCH_PAUSE_MS, this.#ending.signal);
    } catch (error) {
      if (!this.#isEnding()) throw error;
    }
  }

  async #watch(): Promise<void> {
    const { binding, mountpoint, context, clock } = this.#parts;
    while (await this.#isConnected()) {
      await this.#pause();
    }
    binding.fuse_native_unmount(mountpoint, this.#thread);
    await clearLetGo({ mountpoint, device: this.#device }, context.log, clock);
    await context.replacements.settle();
    // A release that the kernel had not yet handed over when it let go never comes.
    for (const file of context.handles.takeAll()) {
      await releaseFile(context, file).catch((error: unknown) => {
        context.log.error('a file could not be ended after the unmount', {
          path: file.handle.path,
          reason: describeError(error),
        });
      });
    }
  }
}
