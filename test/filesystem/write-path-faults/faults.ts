/** What can happen to one request, and what SEMANTICS says that a program sees of it. */
import type { Operation } from '../../../src/service/refusal.ts';
import type { Fault } from '../../../src/server/faults.ts';
import type { ErrorsTable } from '../../support/errors-table.ts';

export interface RequestFault {
  readonly fault: Fault;
  /** A word of the table's first column. */
  readonly word: string;
  /** The operations that it can hit; any when absent. */
  readonly operations?: readonly Operation[];
  /** Whether the service does what it is asked, though the client does not hear of it. */
  readonly isDone?: boolean;
  /** Whether it is for good: bytes are set aside then. */
  readonly isRefusal?: boolean;
}

const WITH_ANSWER: readonly Operation[] = [
  'getObject',
  'listObjects',
  'getVisibility',
  'setVisibility',
  'putObject',
];

export const REQUEST_FAULTS: Record<string, RequestFault> = {
  'is answered 503': { fault: { kind: 'status', status: 503 }, word: '503' },
  'is answered 402': { fault: { kind: 'status', status: 402 }, word: '402' },
  'is answered 403': { fault: { kind: 'status', status: 403 }, word: '403', isRefusal: true },
  'is reset before its body': { fault: { kind: 'reset' }, word: 'reset' },
  'is reset in the middle of its body': {
    fault: { kind: 'reset', afterBytes: 1 },
    word: 'reset',
    operations: ['putObject'],
  },
  'is reset after its body': {
    fault: { kind: 'reset', afterBytes: Infinity },
    word: 'reset',
    operations: ['putObject'],
  },
  'is done, and its answer lost': { fault: { kind: 'lost-answer' }, word: 'reset', isDone: true },
  'is answered with a cut body': {
    fault: { kind: 'cut', afterBytes: 3 },
    word: 'cut',
    operations: WITH_ANSWER,
    isDone: true,
  },
  'is not answered': { fault: { kind: 'stall' }, word: 'nothing' },
  'is done, and its answer breaks off': {
    fault: { kind: 'stall', afterBytes: 3 },
    word: 'nothing',
    operations: WITH_ANSWER.filter((operation) => operation !== 'getObject'),
    isDone: true,
  },
};

/** What the call says after `fault`, once or again and again; `none`: it succeeds. */
export function expectedErrno(table: ErrorsTable, { word }: RequestFault, isOnce: boolean): string {
  return isOnce && table.isTriedAgain(word) ? 'none' : table.errnoFor(word);
}
