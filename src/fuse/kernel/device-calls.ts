/**
 * How is the device looked at without being held up by it? Node reads a descriptor either in a thread of its pool or in the one
 * that asks, which then stands still, and has no poll(2): so the C library is called through koffi.
 */
import { constants } from 'node:os';

/** Calls of the C library on a descriptor of /dev/fuse. None throws. */
export interface DeviceCalls {
  /** From now on `read` never waits. */
  setNonBlocking(descriptor: number): void;
  /** Bytes of one request that are now in `into`; or the negative number of an error, -EAGAIN when there is no request. */
  read(descriptor: number, into: Uint8Array): number;
  /**
   * Whether there is something to read, maybe that the connection has ended. This thread stands still until there is, at most
   * for so many milliseconds (with fractions), or as long as it takes.
   */
  waitForInput(descriptor: number, milliseconds: number | 'for ever'): boolean;
}

/** The values are those of Linux, the same on every processor that Node 20 runs on there. */
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;
const POLLIN = 1;
const NANOSECONDS = 1e6;
const SECOND = 1000;

/** Rejects where koffi has no build for this machine. */
export async function loadDeviceCalls(): Promise<DeviceCalls> {
  const koffi = await import('koffi');
  const library = koffi.load(null);
  const getOrSet = library.func('int fcntl(int, int, ...)');
  const readBytes = library.func('long read(int, void *, size_t)');
  const poll = library.func('int ppoll(void *, unsigned long, void *, void *)');
  // Used again and again: this is called for every request.
  const watched = Buffer.alloc(8);
  const [word, limit] = [koffi.sizeof('long'), Buffer.alloc(2 * koffi.sizeof('long'))];
  return {
    setNonBlocking: (descriptor) => {
      const flags = Number(getOrSet(descriptor, F_GETFL));
      getOrSet(descriptor, F_SETFL, 'int', flags | O_NONBLOCK);
    },
    read: (descriptor, into) => {
      const length = Number(readBytes(descriptor, into, into.length));
      return length < 0 ? -koffi.errno() : length;
    },
    waitForInput: (descriptor, milliseconds) => {
      watched.writeInt32LE(descriptor, 0);
      watched.writeInt32LE(POLLIN, 4);
      if (milliseconds === 'for ever') return Number(poll(watched, 1, null, null)) > 0;
      limit.writeUInt32LE(Math.floor(milliseconds / SECOND), 0);
      limit.writeUInt32LE(Math.round((milliseconds % SECOND) * NANOSECONDS), word);
      return Number(poll(watched, 1, limit, null)) > 0;
    },
  };
}

/** There is no request; or it was taken back, or a signal came, before we had it. */
export function isToBeTriedAgain(errno: number): boolean {
  const { EAGAIN, EINTR, ENOENT } = constants.errno;
  return errno === EAGAIN || errno === EINTR || errno === ENOENT;
}
