/**
 * SEMANTICS: as write-path-faults.test.ts, with write-back: every request behind what a close or an unlink has promised fails, and every
 * request that an fsync waits for. What was written is stored when the fault is over.
 */
import { describe, expect, it } from 'vitest';
import { openOverHttp } from '../../support/open-over-http.ts';
import { PromiseTrials } from './promise-trials.ts';
import { pathOf, trialsOf } from './trials-of.ts';
import { WRITE_PATHS } from './write-paths.ts';

/** One of each kind: how a fault becomes an error is seen without write-back. */
const BEHIND = [
  'is answered 503',
  'is answered 402',
  'is answered 403',
  'is done, and its answer lost',
  'is not answered',
];

describe('with write-back, when a request fails', () => {
  it.each(Object.keys(WRITE_PATHS))(
    'of %s [errors/table] [write-back/retried] [write-back/refused]',
    async (name) => {
      const path = pathOf(name);
      const trials = new PromiseTrials(await openOverHttp({ writeBack: true }), path);
      // What waits is renamed without a request, and so without a look.
      const told = { ...path, ...(path.hasSteps && { looksAfter: [] }), faults: path.faults ?? BEHIND };

      for (const request of await trials.requests()) {
        for (const trial of trialsOf(told, request)) await trials.run(trial);
      }
      await trials.end();

      expect(trials.problems).toEqual([]);
    },
  );
});
