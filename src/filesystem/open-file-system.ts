/** How is a file system put together over a bucket, and how does it end without losing anything? */
import { directLocalFiles } from '../content/local-files.ts';
import { openLocalState, type LocalState } from '../content/local-state.ts';
import type { Bucket } from '../service/records.ts';
import type { Gates } from '../store/gates.ts';
import { Conflicts } from './conflicts.ts';
import { Copying } from './copying.ts';
import { DraftEnds } from './draft-ends.ts';
import {
  endFileSystem,
  progressOf,
  type EndingParts,
  type EndOfMount,
  type UnsentDraft,
} from './end-of-mount.ts';
import { FolderMoving } from './folder-moving.ts';
import { FolderTimes } from './folder-times.ts';
import { Folders } from './folders.ts';
import { dropStoredHalves } from './half-drafts.ts';
import { Inspecting } from './inspecting.ts';
import { sendLeftovers, showLeftovers } from './leftovers.ts';
import { mountState, openSharedMeans, type MountInputs, type SharedMeans } from './mount-means.ts';
import type { MountState } from './mount-state.ts';
import { Moving } from './moving.ts';
import { Opening } from './opening.ts';
import type { FileSystemOperations } from './operations.ts';
import { PailFileSystem } from './pail-file-system.ts';
import { readOnly } from './read-only.ts';
import { Reading } from './reading.ts';
import { Removing } from './removing.ts';
import { RenameJournal } from './rename-journal.ts';
import { RenameHolds } from './rename-holds.ts';
import { Renaming } from './renaming.ts';
import { Reviving } from './reviving.ts';
import { Resuming } from './resuming.ts';
import { Sending } from './sending.ts';
import { changesRefusedWith } from './settings.ts';
import { Shelf } from './shelf.ts';
import { ShelfRecords } from './shelf-records.ts';
import { changeOfDeletion, changeOfLink, changeOfRename, type UnsentChange } from './unsent-change.ts';
import { UnsentChanges, type Unsent } from './unsent-changes.ts';
import { SiblingReads } from './sibling-reads.ts';
import { Storing } from './storing.ts';
import { Uploading } from './uploading.ts';
import { Usage } from './usage.ts';
import { Deletions } from './write-back/deletions.ts';
import { Sealing } from './write-back/sealing.ts';
import { Writing } from './writing.ts';
import { Xattrs } from './xattrs.ts';

export interface FileSystemInputs extends MountInputs {
  /** State directories of dead mounts: what is in them goes to this one. */
  readonly adopted?: readonly string[];
  /** At least 0 and less than 1; when absent: Math.random. */
  readonly random?: () => number;
  /** Of a mount of several buckets, which starts and closes them; when absent: means of its own. */
  readonly shared?: SharedMeans;
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
  readonly unsent: Unsent;
  /** Trust no earlier answer of the service about `path` and what is below it any more. */
  refresh(path: string): void;
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

interface MountedParts extends EndingParts {
  readonly holds: RenameHolds;
  readonly unsent: UnsentChanges;
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
  const parts = fileSystemParts(mount, { ...inputs, gates: shared.gates, local, folderTimes });
  letRest(mount, local, changesRefusedWith(inputs.settings) !== null);
  await mount.content.prepare();
  ownDisk?.start();
  const operations = new PailFileSystem(parts);
  const refusal = changesRefusedWith(inputs.settings);
  let sending = Promise.resolve();
  if (refusal === null) {
    await dropStoredHalves(mount, local.journal, local.recovery.drafts);
    parts.deletions.restore(local.journal.contents.deletions);
    const leftovers = await showLeftovers(mount, local.recovery);
    const shelved = await parts.shelf.restore();
    // Takes drafts along, so after they are there; and before programs and uploads can claim its paths.
    parts.resuming.start();
    parts.deletions.start();
    sending = sendLeftovers(mount, parts.uploading, parts.holds.free([...leftovers, ...shelved]));
  }
  // By now: showing what was left may have set more aside.
  const setAside = local.recovery.drafts.flatMap(({ id }) => {
    const resting = mount.resting.get(id);
    return resting?.kind === 'draft' && resting.record.state === 'set aside' ? [resting.record] : [];
  });
  return {
    operations: refusal === null ? operations : readOnly(operations, refusal),
    setAside: [
      ...setAside.map(({ id, facts, reason }) => ({
        key: facts.key,
        file: local.drafts.pathOf(id),
        reason: reason ?? '',
      })),
      ...local.recovery.unreadable.map(({ path }) => ({ key: '?', file: path, reason: 'it has no header' })),
    ],
    unsent: parts.unsent,
    refresh: (path) => {
      mount.namespace.refresh(path);
    },
    shelf: () =>
      mount.table.all().flatMap(({ path, size, shelf }) => (shelf === null ? [] : [{ path, size }])),
    counts: () => ({
      ...mount.content.counts,
      onDisk: shared.disk?.used ?? null,
      hiddenKeys: mount.namespace.known.hiddenKeys(),
    }),
    buckets: () => [parts.usage.latest()],
    bytesSent: () => progressOf(parts),
    close: async (end) => {
      try {
        return await endFileSystem(parts, end, sending);
      } finally {
        mount.kept.close();
        await ownDisk?.close();
        await local.close();
      }
    },
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

/** What a read-only mount does not go on with, besides the drafts. */
function leftAlone({ recovery, journal }: LocalState): UnsentChange[] {
  return [
    ...recovery.unpublished.map(changeOfLink),
    ...journal.contents.renames.map(({ rename }) => changeOfRename(rename)),
    ...journal.contents.deletions.map(changeOfDeletion),
  ];
}

interface PartsInputs extends FileSystemInputs {
  readonly gates: Gates;
  readonly local: LocalState;
  readonly folderTimes: FolderTimes;
}

function fileSystemParts(mount: MountState, inputs: PartsInputs): MountedParts {
  const { service, bucket, clock, log, gates, folderTimes, random = Math.random } = inputs;
  const deletions: Deletions = new Deletions(mount, {
    journal: inputs.local.journal,
    random,
    gone: () => {
      folders.watchEmptied();
    },
  });
  const folders = new Folders(mount, folderTimes, deletions);
  const inspecting = new Inspecting(mount, folderTimes);
  const reading = new Reading(mount);
  const holds = new RenameHolds();
  const { sealing, shelf, conflicts, uploading } = uploadParts(mount, {
    ...inputs,
    reading,
    deletions,
    holds,
  });
  const writing = new Writing(mount, reading, sealing);
  const siblings = new SiblingReads(mount);
  const opening = new Opening(mount, { writing, uploading, folderTimes, shelf, reading, siblings });
  const removing = new Removing(mount, { writing, folders, folderTimes, deletions });
  const copying = new Copying(mount, writing);
  const journal = new RenameJournal(inputs.local.journal, clock, log);
  const moving = new Moving(mount, { copying, uploading, removing, shelf, deletions, sealing });
  const renameParts = { moving, journal, uploading, folders, folderTimes, deletions };
  const folderMoving = new FolderMoving(mount, renameParts);
  const renaming = new Renaming(mount, { ...renameParts, folderMoving });
  const resuming = new Resuming(mount, { ...renameParts, holds });
  const unsent = new UnsentChanges(mount, {
    journal,
    uploading,
    deletions,
    reviving: new Reviving(mount, conflicts),
    leftAlone: changesRefusedWith(inputs.settings) === null ? [] : leftAlone(inputs.local),
  });
  const usage = new Usage(bucket, () => gates.metadata(() => service.getBucket(bucket.bucket)), clock, log);
  const xattrs = new Xattrs(mount, { inspecting, opening, writing, uploading, usage });
  return {
    mount,
    holds,
    inspecting,
    opening,
    siblings,
    reading,
    writing,
    uploading,
    shelf,
    removing,
    deletions,
    sealing,
    renaming,
    resuming,
    unsent,
    folders,
    xattrs,
    usage,
  };
}

interface UploadInputs extends PartsInputs {
  readonly reading: Reading;
  readonly deletions: Deletions;
  readonly holds: RenameHolds;
}

/** What stores drafts, and what stands in its way. */
function uploadParts(
  mount: MountState,
  { local, folderTimes, reading, deletions, holds, random = Math.random }: UploadInputs,
): Pick<MountedParts, 'sealing' | 'shelf' | 'uploading'> & { readonly conflicts: Conflicts } {
  const sealing = new Sealing(mount);
  const shelf = new Shelf(mount, new ShelfRecords(mount, local));
  const conflicts = new Conflicts(mount, folderTimes);
  const ends = new DraftEnds(mount, reading);
  const storing: Storing = new Storing(mount, {
    sending: new Sending(mount, deletions),
    conflicts,
    shelf,
    ends,
    deletions,
    holds,
    movedAside: (promised) => {
      uploading.enqueue(promised);
    },
  });
  const uploading = new Uploading(mount, { storing, shelf, ends, sealing, random });
  return { sealing, shelf, conflicts, uploading };
}
