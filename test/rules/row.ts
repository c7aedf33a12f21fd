/** What is one rule of the interface, and what shows it? */

/** How a rule is shown: by a program on a mount, by `pailfs` at a shell, or, where pailfs never asks so, by a request of another client. */
export type ShownFrom = 'mount' | 'command line' | 'request';

/** A row of docs/COVERAGE.md. */
export interface CoverageRow {
  /** Of the interface, e.g. `§4.11 rule 5`. */
  readonly section: string;
  readonly rule: string;
  /** Below test/. */
  readonly file: string;
  /** As it stands in the file; `%s` stands for any words. */
  readonly title: string;
  readonly from: ShownFrom;
  /** How the rule is broken, one of test/mutants/: every test of the title must then fail. */
  readonly mutant: string;
}

/** What a row says beside where its test is. */
export type RowText = readonly [section: string, rule: string, title: string, mutant: string];

/** Rows whose tests are in one file. */
export function rowsOf(file: string, from: ShownFrom, texts: readonly RowText[]): readonly CoverageRow[] {
  return texts.map(([section, rule, title, mutant]) => ({ section, rule, file, title, from, mutant }));
}
