/**
 * SEMANTICS: every request of every way to write fails, once or again and again, in every way that a request can fail. The program
 * is told what the table of errors says, the old file or the new one is on the service, whole, and what was written is here and goes
 * up when the fault is over.
 */
import { describe, expect, it } from 'vitest';
import { ErrorsTable } from '../../support/errors-table.ts';
import { openOverHttp } from '../../support/open-over-http.ts';
import { FaultTrials, type PathRequest, type Trial } from './fault-trials.ts';
import { expectedErrno, REQUEST_FAULTS } from './faults.ts';
import { WRITE_PATHS, type WritePath } from './write-paths.ts';

const table = await ErrorsTable.read();

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
