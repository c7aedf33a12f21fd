/** Does the person at the terminal mean it? Without a terminal nobody can say so, and a flag must. */
import { createInterface } from 'node:readline/promises';
import { usageError } from '../command-error.ts';
import { printable } from './screen-text.ts';

/**
 * What was typed, without spaces around it; empty when the terminal is closed instead. `purpose` ends the refusal: "to delete
 * photos". Rejects with a usage error when there is no terminal.
 */
export async function askPerson(question: string, purpose: string): Promise<string> {
  if (!process.stdin.isTTY) throw usageError(`nobody is here to agree ${purpose}: add --yes`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<undefined>((resolve) => {
      terminal.once('close', () => {
        resolve(undefined);
      });
    });
    // Who presses Ctrl-C means the command, not the question alone.
    terminal.once('SIGINT', () => {
      endLine();
      terminal.close();
      process.kill(process.pid, 'SIGINT');
    });
    const answer = await Promise.race([terminal.question(printable(question)), closed]);
    if (answer === undefined) endLine();
    return answer?.trim() ?? '';
  } finally {
    terminal.close();
  }
}

/** What is said next does not stand behind the question. */
function endLine(): void {
  process.stderr.write('\n');
}

/** Whether the answer is yes; anything but a clear one is no. */
export async function agrees(question: string, purpose: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askPerson(`${question} [y/N] `, purpose));
}
