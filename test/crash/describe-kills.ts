/** Does a mount that is killed keep what it has promised? Two tests a mode; more kills look longer. */
import { expect, it } from 'vitest';
import type { Mode } from './crash-scene.ts';
import { killFolderRenames } from './folder-kill-run.ts';
import { describeTally, killAgainAndAgain } from './kill-run.ts';

export interface Kills {
  readonly kills: number;
  /** Within the rename of a folder. */
  readonly folderKills: number;
  readonly modes: readonly Mode[];
  /** Printed, so that a run can be had again. */
  readonly seed: number;
}

/** For a kill with all that belongs to it, on a busy machine, milliseconds. */
const PATIENCE_MS = 180_000;

export function describeKills({ kills, folderKills, modes, seed }: Kills): void {
  it.each(modes)(
    'killed again and again, %s, keeps what it has promised, and stores nothing by halves [crash/promised]',
    { timeout: kills * PATIENCE_MS },
    async (mode) => {
      const run = { mode, kills, seed };
      const tally = await killAgainAndAgain(run);
      console.log(describeTally(run, tally));

      const { put, link, rename, record } = tally.counts;
      expect(put).toBeGreaterThanOrEqual(Math.floor(kills / 5));
      expect(Math.min(link, rename, record)).toBeGreaterThanOrEqual(Math.floor(kills / 10));
      expect(tally.promised).toBeGreaterThan(kills);
    },
  );

  it.each(modes)(
    'killed again and again within the rename of a folder, %s, loses no file of it [rename/crash]',
    { timeout: folderKills * PATIENCE_MS },
    async (mode) => {
      const run = { mode, kills: folderKills, seed };
      const { within, recoveries, renamed } = await killFolderRenames(run);
      console.log(
        `${folderKills} kills at renames of 200 files, seed ${seed}, ${mode}: ${within} within the rename, ` +
          `${recoveries} more while it was being finished; ${renamed} finished, the others not begun`,
      );

      expect(within).toBeGreaterThanOrEqual(Math.floor(folderKills * 0.8));
    },
  );
}
