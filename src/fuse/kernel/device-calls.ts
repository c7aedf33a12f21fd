/**
 * How is the device looked at without being held up by it? Node reads a descriptor either in a thread of its pool or in the one
 * that asks, which then stands still, has no poll(2), and lets its event loop watch nothing but sockets and the like: so the C library,
 * and the event loop's own, are called through koffi.
 */
import { constants } from 'node:os';
import type { node } from 'koffi';

/** A descriptor that the event loop looks at beside everything else that it waits for. */
export interface InputWatch {
  /** Nothing is looked at until `resume`. */
  pause(): void;
  resume(): void;
  /** For good: the others do nothing from now on. Call before the descriptor is closed: its number may soon be that of another file. */
  close(): void;
}

/** What can be done with a descriptor of /dev/fuse. Nothing throws. */
export interface DeviceCalls {
  /** From now on `read` never waits. */
  setNonBlocking(descriptor: number): void;
  /** Bytes of one request that are now in `into`; or the negative number of an error, -EAGAIN when there is no request. */
  read(descriptor: number, into: Uint8Array): number;
  /**
   * Whether there is something to read, maybe that the connection has ended. This thread stands still until there is, at most
   * for so many milliseconds (with fractions).
   */
  waitForInput(descriptor: number, milliseconds: number): boolean;
  /** Whether the other end is still there. */
  isConnected(descriptor: number): boolean;
  /**
   * Calls `arrived` in each turn of the event loop that finds something to read, maybe that the connection has ended; after an end that may be
   * once only. Keeps the process alive until it is closed, also while it pauses. Where the process may watch nothing more it is aborted, as
   * Node is with any socket then.
   */
  watch(descriptor: number, arrived: () => void): InputWatch;
}

/** The values are those of Linux, the same on every processor that Node 20 runs on there. */
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;
const POLLIN = 1;
const POLLERR = 8;
const POLLHUP = 16;
/** Of a `struct pollfd`. */
const POLLED_SIZE = 8;
const NANOSECONDS = 1e6;
const SECOND = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Rejects where koffi has no build for this machine. */
export async function loadDeviceCalls(): Promise<DeviceCalls> {
  const koffi = await import('koffi');
  const library = koffi.load(null);
  const getOrSet = library.func('int fcntl(int, int, ...)');
  const readBytes = library.func('long read(int, void *, size_t)');
  const poll = library.func('int ppoll(void *, unsigned long, void *, void *)');
  // Used again and again: this is called for every request.
  const watched = Buffer.alloc(POLLED_SIZE);
  const [word, limit] = [koffi.sizeof('long'), Buffer.alloc(2 * koffi.sizeof('long'))];
  const look = (descriptor: number, milliseconds: number): boolean => {
    watched.writeInt32LE(descriptor, 0);
    watched.writeInt32LE(POLLIN, 4);
    limit.writeUInt32LE(Math.floor(milliseconds / SECOND), 0);
    limit.writeUInt32LE(Math.round((milliseconds % SECOND) * NANOSECONDS), word);
    return Number(poll(watched, 1, limit, null)) > 0;
  };
  return {
    setNonBlocking: (descriptor) => {
      const flags = Number(getOrSet(descriptor, F_GETFL));
      getOrSet(descriptor, F_SETFL, 'int', flags | O_NONBLOCK);
    },
    read: (descriptor, into) => {
      const length = Number(readBytes(descriptor, into, into.length));
      return length < 0 ? -koffi.errno() : length;
    },
    waitForInput: look,
    isConnected: (descriptor) => !look(descriptor, 0) || (watched.readInt16LE(6) & (POLLERR | POLLHUP)) === 0,
    watch: (descriptor, arrived) => {
      const told = (): void => {
        // From libuv itself, where no promise goes on and nothing may throw: what is to be done waits for this turn's end.
        setImmediate(arrived);
      };
      let handle: node.PollHandle | null = koffi.node.poll(descriptor, told);
      // A watch that pauses counts as nothing that the event loop waits for.
      const alive = setInterval(() => undefined, LONGEST_TIMER_MS);
      return {
        pause: () => {
          handle?.stop();
        },
        resume: () => {
          handle?.start(told);
        },
        close: () => {
          clearInterval(alive);
          handle?.close();
          // It would take the process down if it were called again.
          handle = null;
        },
      };
    },
  };
}

/** There is no request; or it was taken back, or a signal came, before we had it. */
export function isToBeTriedAgain(errno: number): boolean {
  const { EAGAIN, EINTR, ENOENT } = constants.errno;
  return errno === EAGAIN || errno === EINTR || errno === ENOENT;
}
