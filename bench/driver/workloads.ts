/** What is done with a mounted tree, and measured? */
import { run, secondsOf } from '../frame/programs.ts';
import type { Bar, Workload } from '../frame/suite.ts';
import type { Caller, Calls } from './callers.ts';
import { BIG_BYTES, folderOf } from './tree.ts';

/** What to do with the tree at `mountpoint`; resolves with a number in the workload's unit. */
type Act = (mountpoint: string, caller: Caller) => Promise<number>;

export interface DriverWorkload extends Workload {
  readonly act: Act;
}

/** Workloads that share one fresh mount. */
export interface WorkloadGroup {
  /** Of what the kernel is told, in milliseconds; 0: each call reaches the driver. The native driver's is 0 always. */
  readonly validFor: number;
  readonly workloads: readonly DriverWorkload[];
}

const LIMIT_MS = 120_000;
const MIB = 1024 * 1024;

/** In this order: bursts of many threads leave a native mount slower than it was. */
export const workloadGroups: readonly WorkloadGroup[] = [
  {
    validFor: 0,
    workloads: [calls('getattr', 1), calls('getattr', 4), calls('getattr', 16)],
  },
  { validFor: 0, workloads: [calls('open', 1), calls('open', 16)] },
  { validFor: 0, workloads: [sequential('read'), sequential('write')] },
  { validFor: 10_000, workloads: [listing(20_000), listing(100_000)] },
];

/** Issue 3's. */
export const driverBars: readonly Bar[] = [
  ...[1, 4, 16].map((threads) => bar(callsName('getattr', threads), 'native', 1.2)),
  bar(listingName(20_000), 'native', 3),
  bar('sequential read', 'C', 0.9),
  bar('sequential write', 'C', 0.9),
];

function bar(workload: string, against: string, factor: number): Bar {
  return { kind: 'times as fast', workload, subject: 'kernel', against, factor };
}

function calls(act: Calls['act'], threads: number): DriverWorkload {
  return {
    name: callsName(act, threads),
    unit: 'calls/s',
    better: 'more',
    act: (mountpoint, caller) => caller({ act, threads, folder: `${mountpoint}/small` }),
  };
}

function callsName(act: Calls['act'], threads: number): string {
  const what = act === 'getattr' ? 'getattr' : 'open, read, close';
  return `${what}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
}

function sequential(direction: 'read' | 'write'): DriverWorkload {
  return {
    name: `sequential ${direction}`,
    unit: 'MB/s',
    better: 'more',
    act: async (mountpoint) => {
      const ends =
        direction === 'read'
          ? [`if=${mountpoint}/big`, 'of=/dev/null']
          : ['if=/dev/zero', `of=${mountpoint}/sink`, `count=${BIG_BYTES / MIB}`, 'conv=notrunc'];
      const { seconds } = await run('dd', [...ends, `bs=${MIB}`], LIMIT_MS);
      return BIG_BYTES / 1e6 / seconds;
    },
  };
}

function listing(size: number): DriverWorkload {
  return {
    name: listingName(size),
    unit: 's',
    better: 'less',
    act: (mountpoint) => secondsOf('ls', ['-l', `${mountpoint}/${folderOf(size)}`], LIMIT_MS),
  };
}

function listingName(size: number): string {
  return `ls -l of ${size.toLocaleString('en')} names`;
}
