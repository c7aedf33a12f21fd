/** How is what a command was asked for written to stdout? Lines for a person, documents for a program. */
import { printable } from './screen-text.ts';

/** One line. */
export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** With line breaks: a person looks at it, too. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
