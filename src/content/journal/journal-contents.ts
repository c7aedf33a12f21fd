/** What is in a journal that was just opened, and what is wrong with it? */
import type { z } from 'zod';
import {
  tables,
  type DeletionRecord,
  type DraftRecord,
  type RenameRecord,
  type RenameStepRecord,
  type ShelvedRecord,
  type TableName,
  type TableRecords,
} from './records.ts';
import type { RowChange, RowDatabase } from './row-database.ts';
import { readRow, rowText } from './row-text.ts';

/** A row that is not what was written. */
export interface DamagedRow {
  readonly name: string;
  readonly text: string;
  readonly reason: string;
}

/** A rename with its steps in order. */
export interface RenameUnderWay {
  readonly rename: RenameRecord;
  readonly steps: readonly RenameStepRecord[];
}

/** Where damaged rows go inside the database. */
const DAMAGED = 'damaged/';
/** Sorts after all names. */
const END = '\u{10ffff}';

const bySequence = (a: { readonly sequence: number }, b: { readonly sequence: number }): number =>
  a.sequence - b.sequence;

/** Records in the order of their sequence. */
export class JournalContents {
  readonly #records: { readonly [Name in TableName]: TableRecords[Name][] } = {
    draft: [],
    deletion: [],
    rename: [],
    'rename-step': [],
    shelved: [],
    absorbed: [],
  };
  readonly #damaged: DamagedRow[] = [];
  #head: string | undefined;

  /** Rejects with what the database says of its damage. `headName` is the row that belongs to no table. */
  static async read(rows: RowDatabase, headName: string): Promise<JournalContents> {
    const contents = new JournalContents();
    for await (const [name, text] of rows.range('', END)) {
      if (name === headName) contents.#head = text;
      else if (!name.startsWith(DAMAGED)) contents.#take(name, text);
    }
    for (const table of ['draft', 'deletion', 'rename'] as const) contents.#records[table].sort(bySequence);
    return contents;
  }

  get drafts(): readonly DraftRecord[] {
    return this.#records.draft;
  }

  get deletions(): readonly DeletionRecord[] {
    return this.#records.deletion;
  }

  get renames(): readonly RenameUnderWay[] {
    return this.#records.rename.map((rename) => ({
      rename,
      steps: this.#records['rename-step'].filter((step) => step.rename === rename.id),
    }));
  }

  /** Steps whose rename was damaged: nobody goes on with them, but a person must hear of them. */
  get strayedSteps(): readonly RenameStepRecord[] {
    const known = new Set(this.#records.rename.map((rename) => rename.id));
    return this.#records['rename-step'].filter((step) => !known.has(step.rename));
  }

  get shelved(): readonly ShelvedRecord[] {
    return this.#records.shelved;
  }

  /** Identifiers of journals that were taken into this one. */
  get absorbed(): ReadonlySet<string> {
    return new Set(this.#records.absorbed.map((record) => record.journal));
  }

  get damaged(): readonly DamagedRow[] {
    return this.#damaged;
  }

  /** 0 when nothing waits. */
  get highestSequence(): number {
    const { draft, deletion, rename } = this.#records;
    return Math.max(0, ...[draft, deletion, rename].map((records) => records.at(-1)?.sequence ?? 0));
  }

  /** Undefined when there is none, or when it is damaged. */
  head<Value>(name: string, schema: z.ZodType<Value>): Value | undefined {
    const row = this.#head === undefined ? undefined : readRow(name, this.#head, schema);
    return row?.kind === 'whole' ? row.value : undefined;
  }

  /** The changes that put damaged rows where nobody reads them again, their text kept. */
  repairs(): RowChange[] {
    return this.#damaged.flatMap(({ name, text, reason }) => {
      const key = DAMAGED + name;
      return [
        { type: 'put', key, value: rowText(key, { text, reason }) },
        { type: 'del', key: name },
      ];
    });
  }

  #take(name: string, text: string): void {
    const table = name.slice(0, Math.max(0, name.indexOf('/')));
    if (isTable(table)) this.#read(table, this.#records[table], { name, text });
    else this.#damaged.push({ name, text, reason: 'there is no such table' });
  }

  #read<Name extends TableName>(
    table: Name,
    into: TableRecords[Name][],
    { name, text }: { readonly name: string; readonly text: string },
  ): void {
    const row = readRow<TableRecords[Name]>(name, text, tables[table].schema);
    if (row.kind === 'whole') into.push(row.value);
    else this.#damaged.push({ name, text, reason: row.reason });
  }
}

function isTable(name: string): name is TableName {
  return Object.hasOwn(tables, name);
}
