/** With which faults is one request of one write path tried, and what must the program be told each time? */
import { ErrorsTable } from '../../support/errors-table.ts';
import type { Trial } from './fault-trials.ts';
import { expectedErrno, REQUEST_FAULTS } from './faults.ts';
import type { PathRequest } from './trial-stage.ts';
import { WRITE_PATHS, type WritePath } from './write-paths.ts';

const table = await ErrorsTable.read();

export function pathOf(name: string): WritePath {
  const path = WRITE_PATHS[name];
  if (path === undefined) throw new Error(`no such path: ${name}`);
  return path;
}

export function* trialsOf(path: WritePath, request: PathRequest): Generator<Trial> {
  const subject = `${request.operation} ${request.name} (${request.nth})`;
  for (const [what, fault] of Object.entries(REQUEST_FAULTS)) {
    if (fault.operations?.includes(request.operation) === false) continue;
    if (path.faults?.includes(what) === false) continue;
    const isLookedAfter = path.looksAfter?.includes(`${request.operation} ${request.name}`) === true;
    const isFound = fault.isDone === true && isLookedAfter;
    // What may still be done is asked for again: half a rename would be left.
    const isAskedAgain = isLookedAfter && request.operation === 'deleteObject' && fault.isRefusal !== true;
    for (const isOnce of [true, false]) {
      const errno =
        isFound || (isOnce && isAskedAgain && fault.word !== '402')
          ? 'none'
          : expectedErrno(table, fault, isOnce);
      yield { request, fault, isOnce, errno, title: `${subject} ${what}${isOnce ? ' once' : ''}` };
    }
  }
}
