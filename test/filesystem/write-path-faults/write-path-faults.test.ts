/**
 * SEMANTICS: every request of every way to write fails, once or again and again, in every way that a request can fail. The program
 * is told what the table of errors says, the old file or the new one is on the service, whole, and what was written is here and goes
 * up when the fault is over.
 */
import { describe, expect, it } from 'vitest';
import { openOverHttp } from '../../support/open-over-http.ts';
import { FaultTrials } from './fault-trials.ts';
import { pathOf, trialsOf } from './trials-of.ts';
import { WRITE_PATHS } from './write-paths.ts';

describe('when a request fails', () => {
  it.each(Object.keys(WRITE_PATHS))('of %s [errors/table]', async (name) => {
    const path = pathOf(name);
    const trials = new FaultTrials(await openOverHttp(), path);

    for (const request of await trials.requests()) {
      for (const trial of trialsOf(path, request)) await trials.run(trial);
    }
    await trials.end();

    expect(trials.problems).toEqual([]);
  });
});

describe('when the local disk is full', () => {
  it.each(Object.keys(WRITE_PATHS))(
    '%s is ENOSPC if it needs room, and nothing has changed [write/no-space]',
    async (name) => {
      const path = pathOf(name);
      const trials = new FaultTrials(await openOverHttp(), path);
      const [needsFile, needsRoom] = [path.needs !== 'nothing', (path.needs ?? 'bytes') === 'bytes'];

      await trials.runOnFullDisk(
        'a twentieth is left',
        (disk) => {
          disk.told = { free: 50, total: 1000 };
        },
        needsRoom ? 'ENOSPC' : 'none',
      );
      await trials.runOnFullDisk(
        'nothing is left',
        (disk) => {
          disk.room = 0;
        },
        needsFile ? 'ENOSPC' : 'none',
      );
      await trials.end();

      expect(trials.problems).toEqual([]);
    },
  );
});
