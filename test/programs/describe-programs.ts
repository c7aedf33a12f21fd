/** What do programs that people use store, and how many requests does it cost? Counted with names that stay known: the TTL adds its own. */
import { describe, expect, it } from 'vitest';
import { sharedDirectory, sharedMount } from '../support/shared-mount.ts';
import { shell } from '../support/shell.ts';
import type { Program } from './program.ts';
import { deviations, ProgramRun } from './run-program.ts';

const HOUR_MS = 3_600_000;

export function describePrograms(programs: readonly Program[]): void {
  describe('programs on a mounted bucket', () => {
    // Editors make no backups below /tmp.
    const mountpoint = sharedDirectory('/var/tmp');
    const outside = sharedDirectory('/var/tmp');
    const mount = sharedMount(() => ({ mountpoint: mountpoint(), settings: { metadataTtl: HOUR_MS } }));

    it.each(programs)('$name stores what it should, for as many requests as it may cost', async (program) => {
      const run = await ProgramRun.begin(mount(), program, outside());
      const isCounted = await isCountedVersion(program);
      for (const step of program.steps) {
        const result = await run.step(step);
        expect(result.exit, `${step.script}\n${result.errors}`).toBe(0);
        if (step.what === undefined || !isCounted) continue;
        // An emptied folder is made to stay a few seconds later.
        await expect
          .poll(() => deviations(run.costs(), step.costs ?? {}), { message: step.what })
          .toEqual([]);
      }

      if (program.endsAsOnDisk) expect(await run.held()).toEqual(await run.heldOnDisk());
      if (program.check !== undefined) expect(await run.check(program.check)).toMatchObject({ exit: 0 });
    });

    it('leave nothing unsent', async () => {
      expect(await mount().ask('close')).toEqual([]);
    });
  });
}

/** Other versions may do more or less: of those only what they store is compared. */
async function isCountedVersion({ name, version }: Program): Promise<boolean> {
  if (version === undefined) return true;
  const { output } = await shell('/', version.command);
  if (output.startsWith(version.counted)) return true;
  console.warn(`${name}: requests are not counted of ${output.trim()}`);
  return false;
}
