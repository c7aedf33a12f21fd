/** How does one describe an unknown thrown value in a log line, and how to a person? */
import { constants } from 'node:os';
import { getSystemErrorMap, inspect } from 'node:util';

/** The message of an error followed by the messages of its causes, each once. */
export function describeError(thrown: unknown): string {
  const messages: string[] = [];
  for (let error = thrown, depth = 0; error !== undefined && depth < 5; depth += 1) {
    const message = error instanceof Error ? messageOf(error) : inspect(error);
    if (!messages.includes(message)) messages.push(message);
    error = error instanceof Error ? error.cause : undefined;
  }
  return messages.join(': ');
}

/**
 * What every program of the machine says of a system error (`permission denied`), without its code; after the path, unless that is
 * `about`, which a person has read already. Of any other error as `describeError`.
 */
export function inWords(thrown: unknown, about?: string): string {
  const words = systemWords(thrown);
  if (words === undefined) return describeError(thrown);
  const { path } = thrown as NodeJS.ErrnoException;
  return path === undefined || path === about ? words : `${path}: ${words}`;
}

/** Undefined when `thrown` is no system error. */
export function systemWords(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { errno }: NodeJS.ErrnoException = thrown;
  if (typeof errno !== 'number') return undefined;
  const unnamed = nameOfUnnamed(thrown);
  return unnamed === 'EDQUOT' ? 'disk quota exceeded' : (unnamed ?? getSystemErrorMap().get(errno)?.[1]);
}

/** The `code` of a Node system error (`ENOSPC`, `ECONNREFUSED`), if `thrown` carries one. */
export function systemErrorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const unnamed = nameOfUnnamed(thrown);
  if (unnamed !== undefined) return unnamed;
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

function messageOf(error: Error): string {
  const unnamed = nameOfUnnamed(error);
  if (unnamed === undefined) return error.message || error.name;
  const { syscall, path } = error as NodeJS.ErrnoException;
  return [unnamed, syscall, path].filter((part) => part !== undefined).join(', ');
}

/** Of a system error that Node throws without its name, since libuv has none for it: EDQUOT is `Unknown system error -122` there. */
function nameOfUnnamed({ errno, code }: NodeJS.ErrnoException): string | undefined {
  if (errno === undefined || (code !== undefined && code in constants.errno)) return undefined;
  return Object.entries(constants.errno).find(([, number]) => number === -errno)?.[0];
}
