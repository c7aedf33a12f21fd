/** What does docs/COVERAGE.md show? The rows of the code, as a table. */
import type { CoverageRow } from './row.ts';

const BEGIN = '<!-- rows: written by scripts/coverage-page.ts -->';
const END = '<!-- end of rows -->';
const HEADS = ['section', 'rule', 'shown from', 'test', 'broken in the server, which …'];

/** `page` with the table as it has to be between its two marks. Throws when they are not there. */
export function withCoverageTable(page: string, rows: readonly CoverageRow[]): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('the page has no place for the table of rules');
  const lines = [HEADS, HEADS.map(() => '---'), ...rows.map(cellsOf)];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`;
}

function cellsOf({ section, rule, from, file, title, mutant }: CoverageRow): readonly string[] {
  return [section, rule, from, `\`${file}\`: ${title}`, mutant].map((cell) => cell.replaceAll('|', '\\|'));
}
