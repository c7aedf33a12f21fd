/** How does one describe an unknown thrown value in a log line? */

import { inspect } from 'node:util';

/** The message of an error followed by the messages of its causes, each once. */
export function describeError(thrown: unknown): string {
  const messages: string[] = [];
  for (let error = thrown, depth = 0; error !== undefined && depth < 5; depth += 1) {
    const message = error instanceof Error ? error.message || error.name : inspect(error);
    if (!messages.includes(message)) messages.push(message);
    error = error instanceof Error ? error.cause : undefined;
  }
  return messages.join(': ');
}

/** The `code` of a Node system error (`ENOSPC`, `ECONNREFUSED`), if `thrown` carries one. */
export function systemErrorCode(thrown: unknown): string | undefined {
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return undefined;
}
