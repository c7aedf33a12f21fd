/** What runs in the thread that watches a device while the one that serves it sleeps? It reads nothing, it only wakes the other. */
import { workerData } from 'node:worker_threads';
import { loadDeviceCalls } from './device-calls.ts';
import { Watcher } from './device-watch.ts';

/** What the thread is told. */
export interface DeviceWatcherData {
  readonly descriptor: number;
  /** Rings when the process exits. */
  readonly alarm: number;
  readonly watch: SharedArrayBuffer;
}

const { descriptor, alarm, watch } = workerData as DeviceWatcherData;
const watcher = new Watcher(watch);
const calls = await loadDeviceCalls();
while (watcher.waitForTurn()) {
  calls.waitForInputOrAlarm(descriptor, alarm);
  watcher.wake();
}
