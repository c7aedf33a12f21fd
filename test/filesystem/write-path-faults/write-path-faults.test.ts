/**
 * SEMANTICS: every request of every way to write fails, once or again and again, in every way that a request can fail. The program
 * is told what the table of errors says, the old file or the new one is on the service, whole, and what was written is here and goes
 * up when the fault is over.
 */
import { describe, expect, it } from 'vitest';
import { ErrorsTable } from '../../support/errors-table.ts';
import { openOverHttp } from '../../support/open-over-http.ts';
import { FaultTrials, type Trial } from './fault-trials.ts';
import { expectedErrno, REQUEST_FAULTS } from './faults.ts';
import { PromiseTrials } from './promise-trials.ts';
import type { PathRequest } from './trial-stage.ts';
import { WRITE_PATHS, type WritePath } from './write-paths.ts';

const table = await ErrorsTable.read();
/** One of each kind: how a fault becomes an error is seen without write-back. */
const BEHIND = [
  'is answered 503',
  'is answered 402',
  'is answered 403',
  'is done, and its answer lost',
  'is not answered',
];

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

describe('with write-back, when a request fails', () => {
  // fsync is left out: it promises nothing, but waits for the service.
  it.each(Object.keys(WRITE_PATHS).filter((name) => name !== 'fsync'))(
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

function pathOf(name: string): WritePath {
  const path = WRITE_PATHS[name];
  if (path === undefined) throw new Error(`no such path: ${name}`);
  return path;
}

function* trialsOf(path: WritePath, request: PathRequest): Generator<Trial> {
  const subject = `${request.operation} ${request.name} (${request.nth})`;
  for (const [what, fault] of Object.entries(REQUEST_FAULTS)) {
    if (fault.operations?.includes(request.operation) === false) continue;
    if (path.faults?.includes(what) === false) continue;
    const isFound =
      fault.isDone === true && path.looksAfter?.includes(`${request.operation} ${request.name}`) === true;
    for (const isOnce of [true, false]) {
      const errno = isFound ? 'none' : expectedErrno(table, fault, isOnce);
      yield { request, fault, isOnce, errno, title: `${subject} ${what}${isOnce ? ' once' : ''}` };
    }
  }
}
