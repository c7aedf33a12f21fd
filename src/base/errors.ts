/** How does one describe an unknown thrown value in a log line? */
import { constants } from 'node:os';
import { inspect } from 'node:util';

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
