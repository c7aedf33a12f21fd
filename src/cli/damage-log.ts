/** The log of a mount says which records it has found damaged, once: where a command opens them instead, who is told? */
import { silentLog, type Log, type LogFields } from '../base/log.ts';
import { sayToPerson } from './report.ts';

/** Texts of the log of which no outcome tells: what is damaged is put aside then, and no later mount finds it. */
export const DAMAGE: ReadonlySet<string> = new Set([
  'a local database cannot be read and was moved aside',
  'a record of the journal is damaged and was put aside',
  'records of a local database are damaged and lost',
  'the record of a rename is damaged: a file is under its old name, its new one, or both',
]);

/** Tells the person of damaged records, and nobody of anything else: outcomes say what became of what was asked for. */
export const damageLog: Log = {
  ...silentLog,
  error: (message, fields = {}) => {
    if (DAMAGE.has(message)) sayToPerson([message, ...particularsOf(fields)].join(': '));
  },
};

function particularsOf({ name, from, to, reason, cause }: LogFields): readonly string[] {
  const what = from === undefined ? [name, to] : [from, to];
  const texts = [what.filter(isText).join(' -> '), reason, cause];
  return texts.filter(isText).filter((text) => text !== '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
