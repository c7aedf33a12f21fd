/** On what was it measured? Without names that say whose machine it is. */
import { cpus, release, totalmem, type } from 'node:os';

/** One line for the report. */
export function describeMachine(): string {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${type()} ${release().split('-')[0] ?? ''}, Node ${process.versions.node}, ${cpus().length} x ${first?.model ?? 'an unknown processor'}, ${memory}`;
}
