/** What does a test need to have a device without a kernel? */
import { constants } from 'node:os';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog, type Log } from '../../../src/base/log.ts';
import type { DeviceCalls, InputWatch } from '../../../src/fuse/kernel/device-calls.ts';
import { Device, type RequestHandler } from '../../../src/fuse/kernel/device.ts';

export const MIB = 1024 * 1024;
/** No file of this process: nothing is written there. */
export const NOWHERE = -1;

/** A kernel that always has one more request of a mebibyte, which nobody answers. */
export class EndlessKernel implements DeviceCalls {
  isWatched = false;
  taken = 0;
  #arrived: () => void = () => undefined;
  #onAnswered: () => void = () => undefined;
  readonly handler: RequestHandler = this.#requests();

  setNonBlocking = (): void => undefined;
  read = (): number => (this.isWatched ? 1 : -constants.errno.EAGAIN);
  waitForInput = (): boolean => true;
  isConnected = (): boolean => true;

  watch = (_descriptor: number, arrived: () => void): InputWatch => {
    this.isWatched = true;
    this.#arrived = arrived;
    return {
      pause: () => {
        this.isWatched = false;
      },
      resume: () => {
        this.isWatched = true;
      },
      close: () => {
        this.isWatched = false;
      },
    };
  };

  #requests(): RequestHandler {
    const bytesInFlight = (): number => this.taken * MIB;
    return {
      begin: () => {
        this.taken += 1;
      },
      get bytesInFlight() {
        return bytesInFlight();
      },
      abandon: () => undefined,
      answered: () => new Promise((resolve) => (this.#onAnswered = resolve)),
    };
  }

  /** So many turns of the event loop. */
  async turn(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      if (this.isWatched) this.#arrived();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async answer(count: number): Promise<void> {
    this.taken -= count;
    this.#onAnswered();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function deviceOn(
  descriptor: number,
  calls: DeviceCalls = new EndlessKernel(),
  log: Log = silentLog,
): Device {
  return new Device(descriptor, { calls, requests: { room: Buffer.alloc(1) }, clock: systemClock, log });
}
