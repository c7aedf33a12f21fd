/**
 * How is the device looked at without being held up by it? Node reads a descriptor either in a thread of its pool or in the one
 * that asks, which then stands still, and has no poll(2): so the C library is called through koffi.
 */
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';

/** Calls of the C library on a descriptor of /dev/fuse. None but `openAlarm` throws. */
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
  /** A descriptor to wait for besides, closed on exec. Throws when the process may have no more. The caller closes it. */
  openAlarm(): number;
  /** Ends every wait for this alarm, also those that are yet to begin. */
  ring(alarm: number): void;
  /** This thread stands still until there is something to read, maybe that the connection has ended, or the alarm rings. */
  waitForInputOrAlarm(descriptor: number, alarm: number): void;
}

/** The values are those of Linux, the same on every processor that Node 20 runs on there. */
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;
const POLLIN = 1;
const POLLERR = 8;
const POLLHUP = 16;
const EFD_CLOEXEC = 0o2000000;
/** Of a `struct pollfd`. */
const POLLED_SIZE = 8;
const NANOSECONDS = 1e6;
const SECOND = 1000;
/** What eventfd(2) counts: any number but 0. */
const ONE_RING = Buffer.alloc(8, 1);

/** Rejects where koffi has no build for this machine. */
export async function loadDeviceCalls(): Promise<DeviceCalls> {
  const koffi = await import('koffi');
  const library = koffi.load(null);
  const getOrSet = library.func('int fcntl(int, int, ...)');
  const readBytes = library.func('long read(int, void *, size_t)');
  const poll = library.func('int ppoll(void *, unsigned long, void *, void *)');
  const eventfd = library.func('int eventfd(unsigned int, int)');
  // Used again and again: this is called for every request.
  const watched = Buffer.alloc(2 * POLLED_SIZE);
  const [word, limit] = [koffi.sizeof('long'), Buffer.alloc(2 * koffi.sizeof('long'))];
  const watch = (descriptor: number, milliseconds: number): boolean => {
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
    waitForInput: watch,
    isConnected: (descriptor) =>
      !watch(descriptor, 0) || (watched.readInt16LE(6) & (POLLERR | POLLHUP)) === 0,
    openAlarm: () => {
      const alarm = Number(eventfd(0, EFD_CLOEXEC));
      if (alarm < 0) throw new Error(`eventfd: ${getSystemErrorName(-koffi.errno())}`);
      return alarm;
    },
    ring: (alarm) => {
      writeSync(alarm, ONE_RING);
    },
    waitForInputOrAlarm: (descriptor, alarm) => {
      for (const [index, each] of [descriptor, alarm].entries()) {
        watched.writeInt32LE(each, index * POLLED_SIZE);
        watched.writeInt32LE(POLLIN, index * POLLED_SIZE + 4);
      }
      poll(watched, 2, null, null);
    },
  };
}

/** There is no request; or it was taken back, or a signal came, before we had it. */
export function isToBeTriedAgain(errno: number): boolean {
  const { EAGAIN, EINTR, ENOENT } = constants.errno;
  return errno === EAGAIN || errno === EINTR || errno === ENOENT;
}
