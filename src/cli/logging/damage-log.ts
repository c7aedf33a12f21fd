/**
 * The log of a mount says which records it has found damaged, and which files a rename has left behind, once: where a command does
 * the same, who is told?
 */
import { silentLog, type Log, type LogFields } from '../../base/log.ts';
import { sayToPerson } from '../screen/report.ts';

/** Texts of the log of which no outcome tells: what is damaged is put aside then, and what is left behind forgotten; no later mount finds it. */
export const DAMAGE: ReadonlySet<string> = new Set([
  'a local database cannot be read and was moved aside',
  'a record of the journal is damaged and was put aside',
  'records of a local database are damaged and lost',
  'the record of a rename is damaged: a file is under its old name, its new one, or both',
  'a file of a rename that a crash had cut stays under its old name',
]);

/** Tells the person of those, and nobody of anything else: outcomes say what became of what was asked for. */
export const damageLog: Log = { ...silentLog, error: tellPerson, warn: tellPerson };

function tellPerson(message: string, fields: LogFields = {}): void {
  if (DAMAGE.has(message)) sayToPerson([message, ...particularsOf(fields)].join(': '));
}

function particularsOf({ name, from, to, reason, cause }: LogFields): readonly string[] {
  const what = from === undefined ? [name, to] : [from, to];
  const texts = [what.filter(isText).join(' -> '), reason, cause];
  return texts.filter(isText).filter((text) => text !== '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
