/** What is there to say of one mount, beside its line in the table? As wide as the terminal at most. */
import prettyBytes from 'pretty-bytes';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { StatusDocument } from '../control/control-documents.ts';
import type { MountStatus } from '../found-mounts/mount-status.ts';
import type { Problem } from '../logging/recent-problems.ts';
import { warningsAbout } from '../connecting/bucket-state.ts';
import { printable, shortened, widthOf, wrapped } from '../screen/screen-text.ts';
import { ageOf, counted } from '../screen/figures.ts';
import { awayText } from './service-away.ts';

const BAR_LETTERS = 20;
/** Width of what stands before a fact. */
const TITLE_LETTERS = 9;

/** Lines, each with its end; none when the process does not answer. `now`: milliseconds since 1970. */
export function statusDetails(status: MountStatus, width: number | undefined, now: number): string {
  const { live } = status;
  if (live === null) return '';
  const lines = [
    ...factLines('up', [upText(status, now)], width),
    ...factLines('service', [serviceText(live, now)], width),
    ...factLines('notice', noticeTexts(status, live), width),
    ...factLines('requests', requestTexts(live), width),
    ...factLines('reads', readTexts(live), width),
    ...factLines('cache', cacheTexts(live), width),
    ...factLines('hidden', hiddenTexts(live), width),
    ...uploadLines(live.changes.filter(({ state }) => state === 'uploading')),
    ...live.problems.flatMap((problem) => problemLines(problem, now, width)),
  ];
  return printed(lines, width);
}

/** What was asked for: lines as those of `statusDetails`. */
export function statusOptions({ live }: MountStatus, width: number | undefined): string {
  return live === null ? '' : printed(factLines('options', optionTexts(live), width), width);
}

function printed(lines: readonly string[], width = Infinity): string {
  return lines.map((line) => `${shortened(printable(line), width)}\n`).join('');
}

/** `texts` side by side, on as many lines as it takes. */
function factLines(title: string, texts: readonly string[], width = Infinity): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(title.padEnd(TITLE_LETTERS) + text);
    else if (widthOf(last) + 2 + widthOf(text) <= width) lines[lines.length - 1] = `${last}  ${text}`;
    else lines.push(' '.repeat(TITLE_LETTERS) + text);
  }
  return lines;
}

function upText({ since, logFile }: MountStatus, now: number): string {
  const log = logFile === null ? '' : `, log in ${logFile}`;
  return `${ageOf(Date.parse(since), now)}${log}`;
}

function serviceText(live: StatusDocument, now: number): string {
  return awayText(live, now) ?? (live.traffic.requests === 0 ? 'not asked yet' : 'answers');
}

function requestTexts({ traffic }: StatusDocument): string[] {
  const { requests, failed, bytesReceived, bytesSent, perSecond } = traffic;
  return [
    `${requests} (${perSecond.requests.toFixed(1)}/s)`,
    failed === 0 ? '' : `${failed} failed`,
    `received ${prettyBytes(bytesReceived)} (${prettyBytes(perSecond.bytesReceived)}/s)`,
    `sent ${prettyBytes(bytesSent)} (${prettyBytes(perSecond.bytesSent)}/s)`,
  ].filter((text) => text !== '');
}

function readTexts({ cache: { served } }: StatusDocument): string[] {
  return [
    `${prettyBytes(served.memory)} from memory`,
    `${prettyBytes(served.disk)} from the disk`,
    `${prettyBytes(served.service)} as it came from the service`,
  ];
}

function cacheTexts({ cache: { inMemory, onDisk } }: StatusDocument): string[] {
  const inAll = `${prettyBytes(inMemory)} in memory`;
  return onDisk === null ? [inAll] : [inAll, `${prettyBytes(onDisk)} on the disk`];
}

function hiddenTexts({ hiddenKeys }: StatusDocument): string[] {
  return hiddenKeys === 0 ? [] : [`${counted(hiddenKeys, 'key')} that cannot be shown as names`];
}

function optionTexts({ options }: StatusDocument): string[] {
  return Object.entries(options).map(([name, value]) => `${name}=${String(value)}`);
}

function noticeTexts({ mayWrite, readOnly }: MountStatus, { inactive }: StatusDocument): string[] {
  const reading = mayWrite || readOnly ? [] : ['these credentials may only read: every change is EACCES'];
  return [...reading, ...inactive.flatMap(warningsAbout)];
}

/** A bar each, with figures below each other. */
function uploadLines(changes: readonly UnsentChange[]): string[] {
  const uploads = changes.map(({ path, bytes, sent }) => {
    const share = bytes === null || bytes === 0 ? 1 : Math.min(1, sent / bytes);
    const bar = '='.repeat(Math.round(share * BAR_LETTERS)).padEnd(BAR_LETTERS, '-');
    return { bar, percent: `${Math.floor(share * 100)}%`, size: prettyBytes(bytes ?? 0), path: path ?? '?' };
  });
  const percentWidth = Math.max(...uploads.map(({ percent }) => percent.length));
  const sizeWidth = Math.max(...uploads.map(({ size }) => size.length));
  return uploads.map(
    ({ bar, percent, size, path }) =>
      `${bar} ${percent.padStart(percentWidth)} of ${size.padStart(sizeWidth)}  ${path}`,
  );
}

/** Whole: what helps is mostly at the end. */
function problemLines({ at, times, text }: Problem, now: number, width = Infinity): string[] {
  const often = times === 1 ? '' : ` (${times} times)`;
  const [first = '', ...more] = wrapped(
    `${ageOf(Date.parse(at), now)} ago${often}: ${printable(text)}`,
    width - TITLE_LETTERS,
  );
  return [first, ...more.map((line) => ' '.repeat(TITLE_LETTERS) + line)];
}
