/** How are the costs of programs shown to people? The tests hold the very numbers that the table shows. */
import { everyday, heavy } from './all-programs.ts';
import type { Costs, RequestKind } from './program.ts';

const COLUMNS: readonly (readonly [RequestKind, string])[] = [
  ['put', 'PUT'],
  ['get', 'GET'],
  ['head', 'HEAD'],
  ['list', 'list'],
  ['delete', 'DELETE'],
  ['folder', 'POST folder'],
  ['visibility', 'visibility'],
];
const BEGIN = '<!-- programs: made by scripts/program-table.ts -->';
const END = '<!-- end of programs -->';

/** `page` with the table as it has to be between its two marks. Throws when they are not there. */
export function withCostTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('the page has no place for the table of programs');
  return `${page.slice(0, begin)}${BEGIN}\n\n${costTable()}\n\n${page.slice(end)}`;
}

function costTable(): string {
  const heads = ['program', 'what it does', ...COLUMNS.map(([, head]) => head)];
  const rows = [...everyday, ...heavy].flatMap(({ name, steps }) =>
    steps.flatMap(({ what, costs }) =>
      what === undefined ? [] : [[name, what, ...COLUMNS.map(([kind]) => shown(costs?.[kind]))]],
    ),
  );
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function shown(cost: Costs[RequestKind]): string {
  if (cost === undefined || cost === 0) return '';
  return typeof cost === 'number' ? cost.toLocaleString('en-US') : `${cost[0]} to ${cost[1]}`;
}
