/** A budget over a disk that a test sets, and writers who ask it as writes do. */
import type { DiskSpace } from '../../src/content/local-files.ts';
import { NoRoom, type SpaceAccount } from '../../src/content/space-account.ts';
import { SpaceBudget } from '../../src/content/space-budget.ts';
import { ManualClock } from '../support/manual-clock.ts';

export const TOTAL = 10_000;
/** 5 % of it. */
export const FLOOR = 500;

export interface BudgetForTest {
  readonly clock: ManualClock;
  /** What it says of itself, and how often it was asked. */
  readonly disk: { free: number; readonly total: number; looks: number };
  readonly budget: SpaceBudget;
}

export function setup(limit = 1000, free = TOTAL): BudgetForTest {
  const clock = new ManualClock();
  const disk = { free, total: TOTAL, looks: 0 };
  const look = (): Promise<DiskSpace> => {
    disk.looks += 1;
    return Promise.resolve({ free: disk.free, total: disk.total });
  };
  return { clock, disk, budget: new SpaceBudget({ limit, disk: look, clock }) };
}

export const NO_SPACE = { code: 'ENOSPC' };
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** As a write does: outside of the account it waits while there is hope. */
export async function growWaiting(budget: SpaceBudget, account: SpaceAccount, bytes: number): Promise<void> {
  for (;;) {
    try {
      await account.grow(bytes);
      return;
    } catch (error) {
      if (!(error instanceof NoRoom) || !error.mayPass) throw error;
      await budget.roomFor(bytes);
    }
  }
}

/** What became of a promise so far. */
export function watched(promise: Promise<void>): { outcome: 'waits' | 'done' | 'refused' } {
  const state: { outcome: 'waits' | 'done' | 'refused' } = { outcome: 'waits' };
  promise.then(
    () => (state.outcome = 'done'),
    () => (state.outcome = 'refused'),
  );
  return state;
}
