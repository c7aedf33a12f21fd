/** What does SEMANTICS promise of each answer of the service? Read from the table itself, so that tests expect what people read. */
import { readFile } from 'node:fs/promises';

const TABLE = /`\[errors\/table\]`\n\n((?: *\|[^\n]*\n)+)/;

export class ErrorsTable {
  readonly #rows: readonly { readonly says: string; readonly sees: string }[];

  private constructor(rows: readonly { readonly says: string; readonly sees: string }[]) {
    this.#rows = rows;
  }

  static async read(): Promise<ErrorsTable> {
    const text = await readFile(new URL('../../docs/SEMANTICS.md', import.meta.url), 'utf8');
    const [, table = ''] = TABLE.exec(text) ?? [];
    const rows = table.split('\n').flatMap((line) => {
      const [, says, sees] = line.split('|').map((cell) => cell.trim());
      return says === undefined || sees === undefined ? [] : [{ says, sees }];
    });
    return new ErrorsTable(rows);
  }

  /** The error of the one row whose first column holds `word`. */
  errnoFor(word: string): string {
    const rows = this.#rows.filter(({ says }) => says.split(/[^a-z0-9]+/i).includes(word));
    const [row] = rows;
    const errno = row === undefined ? undefined : /^E[A-Z]+/.exec(row.sees)?.[0];
    if (errno === undefined || rows.length > 1)
      throw new Error(`the table of errors has no one row for "${word}"`);
    return errno;
  }

  /** Whether the client tries again after that before the program hears of it. */
  isTriedAgain(word: string): boolean {
    return this.#rows.some(({ says, sees }) => says.includes(word) && sees.includes('after retries'));
  }
}
