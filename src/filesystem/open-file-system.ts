/** How does a file system begin over a bucket, with what dead mounts left, and how does it end without losing anything? */
import { directLocalFiles } from '../content/local-files.ts';
import { openLocalState, type LocalState } from '../content/local-state.ts';
import type { Bucket } from '../service/records.ts';
import { endFileSystem, progressOf, type EndOfMount, type UnsentDraft } from './end-of-mount.ts';
import { fileSystemParts, type MountedParts } from './file-system-parts.ts';
import { FolderTimes } from './names/folder-times.ts';
import { dropStoredHalves } from './left-behind/half-drafts.ts';
import { sendLeftovers, showLeftovers } from './left-behind/leftovers.ts';
import { mountState, openSharedMeans, type MountInputs, type SharedMeans } from './mount-means.ts';
import type { MountState } from './mount-state.ts';
import type { OpenFile } from './open-file.ts';
import type { FileSystemOperations } from './operations.ts';
import { PailFileSystem } from './pail-file-system.ts';
import { readOnly } from './read-only.ts';
import { changesRefusedWith } from './settings.ts';
import { changeOfDeletion, changeOfLink, changeOfRename, type UnsentChange } from './unsent/unsent-change.ts';
import type { Unsent } from './unsent/unsent-changes.ts';

export interface FileSystemInputs extends MountInputs {
  /** State directories of dead mounts: what is in them goes to this one. */
  readonly adopted?: readonly string[];
  /** At least 0 and less than 1; when absent: Math.random. */
  readonly random?: () => number;
  /** Of a mount of several buckets, which starts and closes them; when absent: means of its own. */
  readonly shared?: SharedMeans;
  /** When what dead mounts left goes up: a person may ask for it (`unsent.retry`), and it gives way to others then; when absent: by itself. */
  readonly leftovers?: 'by themselves' | 'when asked' | undefined;
  /** What folders show that nothing has changed here, milliseconds since 1970; when absent: now. */
  readonly since?: number;
}

export type { EndOfMount, UnsentDraft } from './end-of-mount.ts';

/** Bytes, but for the last. */
export interface MountCounts {
  /** What programs have read, by where it was. */
  readonly served: { readonly memory: number; readonly disk: number; readonly service: number };
  /** File content kept in memory. */
  readonly inMemory: number;
  /** In the cache directory; null: nothing is kept there. */
  readonly onDisk: number | null;
  /** In the folders that were listed lately. */
  readonly hiddenKeys: number;
}

/** A scratch file that the service does not hear of. */
export interface ShelvedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** Bytes that an earlier mount left and that are not sent by themselves. */
export interface SetAsideDraft {
  readonly key: string;
  readonly file: string;
  readonly reason: string;
}

export interface MountedFileSystem {
  readonly operations: FileSystemOperations;
  readonly setAside: readonly SetAsideDraft[];
  /** Keys of files that earlier mounts had promised to store, and whose bytes somebody has deleted from the disk since. */
  readonly lost: readonly string[];
  readonly unsent: Unsent;
  /** Trust no earlier answer of the service about `path` and what is below it any more. */
  refresh(path: string): void;
  /** Whether a file waits here to be stored, or is being written. */
  hasWaiting(): boolean;
  /** What waits on the shelf (shelf.ts). */
  shelf(): readonly ShelvedFile[];
  /** For a person who looks at the mount. */
  counts(): MountCounts;
  /** What the service said last of the buckets that the mount shows. */
  buckets(): readonly Bucket[];
  /** Bytes handed to uploads so far, and deletions done: grows while `close` gets anywhere. */
  bytesSent(): number;
  /**
   * Stores what is not stored yet. Returns what could not be stored: those bytes stay in their local files, for the next mount.
   * Call after the kernel has let go.
   */
  close(end: EndOfMount): Promise<UnsentDraft[]>;
}

/**
 * A file system over `bucket`. Shows what dead mounts left, begins to store it, and goes on with renames that a crash cut; it looks
 * whether half files are stored. Else it asks the service nothing before a program does. A read-only one leaves all that alone. Rejects as `openLocalState`.
 */
export async function openFileSystem(inputs: FileSystemInputs): Promise<MountedFileSystem> {
  const { settings, adopted = [], clock, log } = inputs;
  const files = inputs.localFiles ?? directLocalFiles(inputs);
  const local = await openLocalState([settings.stateDirectory, ...adopted], { files, clock, log });
  try {
    return await openOver(local, { ...inputs, localFiles: files });
  } catch (error) {
    await local.close();
    throw error;
  }
}

async function openOver(local: LocalState, inputs: FileSystemInputs): Promise<MountedFileSystem> {
  const shared = inputs.shared ?? openSharedMeans({ ...inputs, directory: local.directory });
  const ownDisk = inputs.shared === undefined ? shared.disk : null;
  const folderTimes = new FolderTimes(inputs.clock, local.attributes, inputs.since);
  await folderTimes.restore();
  const mount = mountState({ local, shared, folderTimes }, inputs);
  const refusal = changesRefusedWith(inputs.settings);
  const parts = fileSystemParts(mount, {
    ...inputs,
    gates: shared.gates,
    local,
    folderTimes,
    isLeftAsked: inputs.leftovers === 'when asked',
    leftAlone: refusal === null ? [] : leftAlone(local),
    random: inputs.random ?? Math.random,
  });
  letRest(mount, local, refusal !== null);
  await mount.content.prepare();
  ownDisk?.start();
  const operations = new PailFileSystem(parts);
  const leftovers = refusal === null ? await goOn(parts, local) : [];
  const toSend = inputs.leftovers === 'when asked' ? [] : leftovers;
  const sending = sendLeftovers(mount, parts.uploading, toSend);
  const { recovery, journal } = local;
  const waiting = recovery.drafts.filter(({ state }) => state !== 'set aside');
  const left = new Set([...waiting, ...journal.contents.shelved].map(({ id }) => id));
  // By now: showing what was left may have set more aside.
  const setAside = setAsideIn(mount, local);
  mount.kept.aside.mountBegins();
  return {
    operations: refusal === null ? operations : readOnly(operations, refusal),
    setAside,
    lost: local.recovery.lost.map(({ facts }) => facts.key),
    unsent: parts.unsent,
    ...whatPeopleAsk(parts, shared),
    close: async (end) => {
      try {
        return await endFileSystem(parts, end, { sending, left });
      } finally {
        await mount.kept.close();
        await ownDisk?.close();
        await local.close();
      }
    },
  };
}

/** Shows what earlier mounts left, and goes on with their renames and deletions. Resolves with what is to be sent. */
async function goOn(
  { mount, deletions, shelf, resuming, holds }: MountedParts,
  { journal, recovery }: LocalState,
): Promise<readonly OpenFile[]> {
  await dropStoredHalves(mount, journal, recovery.drafts);
  deletions.restore(journal.contents.deletions);
  const leftovers = await showLeftovers(mount, recovery);
  const shelved = await shelf.restore();
  // Takes drafts along, so after they are there; and before programs and uploads can claim its paths.
  resuming.start();
  deletions.start();
  return holds.free([...leftovers, ...shelved]);
}

/** What a person can ask of the mount, or tell it. */
function whatPeopleAsk(
  parts: MountedParts,
  { disk }: SharedMeans,
): Pick<MountedFileSystem, 'refresh' | 'hasWaiting' | 'shelf' | 'counts' | 'buckets' | 'bytesSent'> {
  const { namespace, table, content } = parts.mount;
  return {
    refresh: (path) => {
      namespace.refresh(path);
    },
    hasWaiting: () => table.hasDirtyBelow('/'),
    shelf: () => table.all().flatMap(({ path, size, shelf }) => (shelf === null ? [] : [{ path, size }])),
    counts: () => ({
      ...content.counts,
      onDisk: disk?.used ?? null,
      hiddenKeys: namespace.known.hiddenKeys(),
    }),
    buckets: () => [parts.usage.latest()],
    bytesSent: () => progressOf(parts),
  };
}

/** What nothing here will send by itself. */
function letRest({ resting }: MountState, { recovery, journal }: LocalState, readOnly: boolean): void {
  for (const record of recovery.drafts) {
    if (readOnly || record.state === 'set aside') resting.add(record.id, { kind: 'draft', record });
  }
  for (const { id } of recovery.unreadable) resting.add(id, { kind: 'unreadable' });
  if (!readOnly) return;
  for (const record of journal.contents.shelved) {
    if (resting.get(record.id) === undefined) resting.add(record.id, { kind: 'scratch', record });
  }
}

function setAsideIn({ resting }: MountState, { drafts, recovery }: LocalState): SetAsideDraft[] {
  return [
    ...recovery.drafts.flatMap(({ id }) => {
      const draft = resting.get(id);
      if (draft?.kind !== 'draft' || draft.record.state !== 'set aside') return [];
      const { facts, reason } = draft.record;
      return [{ key: facts.key, file: drafts.pathOf(id), reason: reason ?? '' }];
    }),
    ...recovery.unreadable.map(({ path }) => ({ key: '?', file: path, reason: 'it has no header' })),
  ];
}

/** What a read-only mount does not go on with, besides the drafts. */
function leftAlone({ recovery, journal }: LocalState): UnsentChange[] {
  return [
    ...recovery.unpublished.map(changeOfLink),
    // None goes on here: they wait, as all of this does.
    ...journal.contents.renames.map(({ rename }) => ({
      ...changeOfRename(rename),
      state: 'queued' as const,
    })),
    ...journal.contents.deletions.map(changeOfDeletion),
  ];
}
