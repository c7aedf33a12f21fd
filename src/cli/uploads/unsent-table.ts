/** How is what the service does not have yet shown to a person? */
import prettyBytes from 'pretty-bytes';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import { printable } from '../screen/screen-text.ts';
import { ageOf } from '../screen/figures.ts';
import { tableOf, type Column } from '../screen/table.ts';

/** Letters of a random identifier: enough to tell apart what a person looks at. */
const SHORT_ID = 8;

const columnsAt = (now: number): readonly Column<UnsentChange>[] => [
  { title: 'ID', shrinks: false, text: shortId },
  { title: 'WHAT', shrinks: false, text: ({ kind }) => kind },
  { title: 'STATE', shrinks: false, text: stateText },
  { title: 'SIZE', shrinks: false, text: sizeText },
  { title: 'AGE', shrinks: false, text: ({ since }) => ageOf(since, now) },
  { title: 'TRIES', shrinks: false, text: ({ attempts }) => String(attempts) },
  { title: 'PATH', shrinks: true, text: pathText },
  { title: 'WHY', shrinks: false, wraps: true, text: whyText },
];

/** `width`: columns of the terminal; undefined when there is none. `now`: milliseconds since 1970. */
export function unsentTable(
  changes: readonly UnsentChange[],
  width: number | undefined,
  now: number,
): string {
  return tableOf(columnsAt(now), changes, width);
}

/** What a line about one of them calls it. */
export function nameOfChange({ path, id }: Pick<UnsentChange, 'path' | 'id'>): string {
  // Before it stands in a line, which is squeezed: the end of a line in a name would look like a space of another name.
  return path === null ? `the bytes without a name (${id.slice(0, SHORT_ID)})` : printable(path);
}

/** That of a deletion ends with a number. */
export function shortId({ id, kind }: Pick<UnsentChange, 'id' | 'kind'>): string {
  return kind === 'delete' ? id : id.slice(0, SHORT_ID);
}

function stateText({ state, isWhole }: UnsentChange): string {
  return state === 'set aside' && !isWhole ? 'half, set aside' : state;
}

function sizeText({ bytes, sent, state }: UnsentChange): string {
  if (bytes === null) return '-';
  return state === 'uploading' ? `${prettyBytes(sent)} of ${prettyBytes(bytes)}` : prettyBytes(bytes);
}

function pathText({ path, to }: UnsentChange): string {
  return to === null ? (path ?? '?') : `${path ?? '?'} -> ${to}`;
}

function whyText({ code, reason }: UnsentChange): string {
  if (reason === null) return '';
  return code === null || reason.startsWith(code) ? reason : `${code}: ${reason}`;
}
