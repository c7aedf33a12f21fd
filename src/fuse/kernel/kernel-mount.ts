/** What is one mount of the kernel driver, from the kernel's first word to its last? */
import { describeError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { FileSystemOperations } from '../../filesystem/operations.ts';
import { MountError, type Mounted, type MountOptions, type UnmountOptions } from '../driver.ts';
import { findMount, type MountEntry } from '../mount-table.ts';
import { Holders } from '../holders.ts';
import { isKilled } from '../killed.ts';
import { statusOf } from '../process-status.ts';
import { clearFailedMount, clearLetGo } from '../mountpoint.ts';
import { withinReadyLimit } from '../ready-limit.ts';
import { unmountMoved } from '../unmount.ts';
import { BufferPool } from './buffer-pool.ts';
import { loadDeviceCalls, type DeviceCalls } from './device-calls.ts';
import { Device } from './device.ts';
import { Dispatcher, type Greeting } from './dispatcher.ts';
import { endOnExit } from './exit-hook.ts';
import { releaseAll } from './file-operations.ts';
import { mountAsUser } from './fusermount.ts';
import { stopAllListings } from './folder-operations.ts';
import type { KernelContext } from './kernel-context.ts';
import { KeptListings } from './kept-listings.ts';
import { MovingFolders } from './moving-folders.ts';
import { mountAsRoot } from './mount-program.ts';
import { dropCached } from './notifications.ts';
import { NodeTable } from './node-table.ts';
import { OpenTable } from './open-table.ts';
import { RequestMemory } from './request-memory.ts';
import { takeAllNamesBack, takeNameBack } from './discoveries.ts';
import { incrementEpoch } from './notifications.ts';

/** Everything a mount is made of. */
export interface KernelMountParts {
  readonly operations: FileSystemOperations;
  /** The mountpoint is canonical. */
  readonly options: MountOptions;
  readonly clock: Clock;
}

interface MountedParts extends KernelMountParts {
  /** As the kernel has it. */
  readonly mounted: MountEntry;
}

type KernelEnds = Pick<KernelMount, 'closed' | 'letGo'>;

export class KernelMount implements Mounted {
  readonly closed: Promise<void>;
  readonly letGo: Promise<void>;

  readonly #parts: MountedParts;
  readonly #context: KernelContext;
  readonly #device: Device;

  private constructor(parts: MountedParts, context: KernelContext, device: Device, ends: KernelEnds) {
    this.#parts = parts;
    this.#context = context;
    this.#device = device;
    this.closed = ends.closed;
    this.letGo = ends.letGo;
  }

  /** Mounts; resolves when the kernel and this driver have agreed. On a rejection (`MountError`) nothing is left mounted. */
  static async open(parts: KernelMountParts): Promise<KernelMount> {
    const { options, clock } = parts;
    const { log, mountpoint } = options;
    const calls = await deviceCalls(mountpoint);
    const descriptor = await (process.getuid?.() === 0 ? mountAsRoot(options) : mountAsUser(options));
    const requests = new RequestMemory(clock);
    const device = new Device(descriptor, { calls, requests, clock, log });
    try {
      const context = newContext(parts, device, requests);
      const mounted = await mountedAt(mountpoint);
      const letGo = device.closed.then(endOnExit(connectionNumber(mounted), device, log));
      const dispatcher = await greeted(parts, device, (greeting) => {
        return new Dispatcher(context, clock, device, greeting);
      });
      const cleared = letGo.then(() => clearLetGo(mounted, log, clock));
      const closed = letGo.then(() => finish(context, dispatcher)).then(() => cleared);
      return new KernelMount({ ...parts, mounted }, context, device, { closed, letGo });
    } catch (error) {
      // First: who unmounts looks at what is mounted, and would wait for an answer.
      await device.end();
      await clearFailedMount(mountpoint, log, clock);
      throw error instanceof MountError ? error : failure(mountpoint, describeError(error), error);
    }
  }

  /** How many files and folders the kernel has not let go of, the root among them. */
  get nodeCount(): number {
    return this.#context.nodes.size;
  }

  readonly refresh = async (): Promise<void> => {
    if (this.#context.trust.hasEpoch) this.#device.deliver(incrementEpoch());
    else takeAllNamesBack(this.#context);
    this.#context.listings.dropAll();
    await this.#device.notified();
  };

  async unmount(options: UnmountOptions): Promise<void> {
    // umount(8) has statfs(2) answered first.
    this.#device.takeAll();
    // Once the kernel has let go it may have given the number to somebody else's mount.
    if (this.#device.isConnected()) await unmountMoved(this.#parts.mounted, options, this.#parts.clock);
    // What is still open ends a lazy unmount whenever it likes.
    if (!options.lazy) await this.closed;
  }
}

async function deviceCalls(mountpoint: string): Promise<DeviceCalls> {
  try {
    return await loadDeviceCalls();
  } catch (error) {
    throw failure(
      mountpoint,
      `koffi cannot be loaded: ${describeError(error)}; choose "-o driver=native"`,
      error,
    );
  }
}

function newContext(
  { operations, options, clock }: KernelMountParts,
  device: Device,
  requests: RequestMemory,
): KernelContext {
  const nodes: NodeTable = new NodeTable(
    (node) => {
      takeNameBack({ nodes, clock, notify: device.notify }, node);
    },
    (node) => {
      device.notify(dropCached(node.id, 'bytes'));
    },
  );
  const holders = new Holders(clock);
  return {
    operations,
    nodes,
    files: new OpenTable(),
    folders: new OpenTable(),
    buffers: new BufferPool(clock),
    requests,
    listings: new KeptListings({ nodes, clock, notify: device.notify }),
    moving: new MovingFolders(),
    clock,
    log: options.log,
    notify: device.notify,
    notifyAtOnce: device.deliver,
    notified: () => device.notified(),
    trust: { names: false, hasEpoch: false },
    hasOpen: (threads, path) => holders.hasOpen(threads, options.mountpoint + path),
    processOf: async (thread) => (await statusOf(thread))?.process,
    isKilled,
  };
}

async function mountedAt(mountpoint: string): Promise<MountEntry> {
  const mount = await findMount(mountpoint);
  if (mount === undefined) throw failure(mountpoint, 'it is not in the mount table');
  return mount;
}

/** The kernel numbers its connections as the devices of what is mounted. */
function connectionNumber({ device }: MountEntry): string {
  return device.split(':')[1] ?? '';
}

/** Begins to answer, and waits until the kernel has said what it speaks. */
function greeted(
  { options, clock }: KernelMountParts,
  device: Device,
  answerWith: (greeting: Greeting) => Dispatcher,
): Promise<Dispatcher> {
  const { mountpoint } = options;
  const tooLate = (): Error => failure(mountpoint, 'the kernel did not say anything');
  return withinReadyLimit<Dispatcher>(clock, tooLate, (resolve, reject) => {
    const dispatcher = answerWith({
      agreed: () => {
        resolve(dispatcher);
      },
      refused: (reason) => {
        reject(failure(mountpoint, `${reason}; choose "-o driver=native"`));
      },
    });
    device.start(dispatcher);
    void device.closed.then(() => {
      reject(failure(mountpoint, 'the connection to the kernel ended at once'));
    });
  });
}

/** After the kernel's last word. */
async function finish(context: KernelContext, dispatcher: Dispatcher): Promise<void> {
  dispatcher.giveUpWaiting();
  await dispatcher.settled();
  // A release that the kernel had not yet handed over when it let go never comes.
  stopAllListings(context);
  context.listings.end();
  await releaseAll(context);
}

function failure(mountpoint: string, reason: string, cause?: unknown): MountError {
  return new MountError('failed', `${mountpoint} could not be mounted: ${reason}`, { cause });
}
