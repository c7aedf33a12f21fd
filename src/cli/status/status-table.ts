/** How are mounts shown to a person? One line each, as wide as the terminal at most, and below them what they have not stored. */
import prettyBytes from 'pretty-bytes';
import { warningsAbout } from '../connecting/bucket-state.ts';
import type { UnsentSummary } from '../control/control-documents.ts';
import type { MountStatus } from '../found-mounts/mount-status.ts';
import { shellWord } from '../screen/shell-word.ts';
import { printable } from '../screen/screen-text.ts';
import { ageOf, counted } from '../screen/figures.ts';
import { tableOf, type Column } from '../screen/table.ts';
import { MOST_SHOWN } from '../control/unsent-summary.ts';
import { awayText } from './service-away.ts';
import { unsentTable } from '../uploads/unsent-table.ts';

const columnsAt = (now: number): readonly Column<MountStatus>[] => [
  { title: 'MOUNTPOINT', shrinks: true, text: ({ mountpoint }) => mountpoint },
  { title: 'BUCKET', shrinks: true, text: ({ bucket }) => bucket ?? 'all buckets' },
  { title: 'SERVICE', shrinks: true, text: ({ baseUrl }) => baseUrl },
  { title: 'DRIVER', shrinks: false, text: ({ driver }) => driver },
  { title: 'PID', shrinks: false, text: ({ pid }) => String(pid) },
  { title: 'UP', shrinks: false, text: ({ since }) => ageOf(Date.parse(since), now) },
  { title: 'MODE', shrinks: false, text: ({ readOnly, mayWrite }) => (readOnly || !mayWrite ? 'ro' : 'rw') },
  { title: 'STATE', shrinks: false, text: ({ state }) => state },
];

/** `width`: columns of the terminal; undefined when there is none. `now`: milliseconds since 1970. */
export function statusTable(
  statuses: readonly MountStatus[],
  width: number | undefined,
  now: number,
): string {
  return tableOf(columnsAt(now), statuses, width);
}

/** Which buckets are not ready to use, if any: a line each, whole. */
export function inactiveLines(statuses: readonly MountStatus[]): string {
  return statuses
    .flatMap(({ mountpoint, live }) =>
      (live?.inactive ?? []).flatMap(warningsAbout).map((text) => `${printable(`${mountpoint}: ${text}`)}\n`),
    )
    .join('');
}

/** Which services are away, if any: programs get errors although the mount serves. `now`: milliseconds since 1970. */
export function awayLines(statuses: readonly MountStatus[], now: number): string {
  return statuses
    .flatMap(({ mountpoint, baseUrl, live }) => {
      const text = live === null ? undefined : awayText(live, now);
      return text === undefined ? [] : [`${printable(`${mountpoint}: ${baseUrl} ${text}`)}\n`];
    })
    .join('');
}

/** What each mount has not stored, if anything: a line with the sums, and what goes up just now, went wrong, or is only here. */
export function waitingLines(
  statuses: readonly MountStatus[],
  width: number | undefined,
  now: number,
): string {
  return statuses
    .map(({ mountpoint, live, unsent }) => {
      const ended = endedLines(mountpoint, unsent);
      const sums = live === null ? '' : sumsOf(live.waiting);
      const title = sums === '' ? [] : [`not stored in ${mountpoint}: ${sums}`];
      const lines = [...ended, ...title].map((line) => `${printable(line)}\n`).join('');
      return live === null || live.changes.length === 0
        ? lines
        : lines + unsentTable(live.changes, width, now);
    })
    .join('');
}

/** What a mount that has ended left behind. */
function endedLines(mountpoint: string, unsent: MountStatus['unsent']): readonly string[] {
  const lines = unsent.map(({ path, file, reason }) =>
    // A deletion has no bytes here, nor has a link; their reason is the whole sentence.
    file === '' ? `${path} is ${reason}` : `not stored: ${path} (${reason}), kept in ${file}`,
  );
  const more = lines.length - MOST_SHOWN;
  return more <= 0
    ? lines
    : [
        ...lines.slice(0, MOST_SHOWN),
        `not stored: ${more} more; "pailfs uploads ${shellWord(mountpoint)}" shows all`,
      ];
}

/** Empty when everything is stored. */
export function sumsOf(waiting: UnsentSummary): string {
  const { uploads, bytesLeft, uploading, failed, setAside, deletes, links, renames, scratch } = waiting;
  return [
    uploads === 0 ? '' : `${counted(uploads, 'file')} (${prettyBytes(bytesLeft)})`,
    uploading === 0 ? '' : `${uploading} going up`,
    failed === 0 ? '' : `${failed} failed`,
    setAside === 0 ? '' : `${setAside} set aside`,
    deletes === 0 ? '' : counted(deletes, 'delete'),
    links === 0 ? '' : `${counted(links, 'link')} to restore`,
    renames === 0 ? '' : counted(renames, 'rename'),
    scratch === 0 ? '' : `${counted(scratch, 'scratch file')} on this machine alone`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
