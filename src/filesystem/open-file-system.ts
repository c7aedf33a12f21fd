/** How is a file system put together over a bucket, and how does it end without losing anything? */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { PathClaims } from '../base/path-claims.ts';
import { BlockCache } from '../content/block-cache.ts';
import { ContentStore } from '../content/content-store.ts';
import { nodeLocalFiles, type LocalFiles } from '../content/local-files.ts';
import { openLocalState, type LocalState } from '../content/local-state.ts';
import { Namespace } from '../namespace/namespace.ts';
import type { ObjectService } from '../service/object-service.ts';
import type { Bucket } from '../service/records.ts';
import { BucketStore } from '../store/bucket-store.ts';
import { createGates, type Gates } from '../store/gates.ts';
import { RangeReader } from '../store/range-reader.ts';
import { Conflicts } from './conflicts.ts';
import { Copying } from './copying.ts';
import { FolderMoving } from './folder-moving.ts';
import { FileTable } from './file-table.ts';
import { FolderTimes } from './folder-times.ts';
import { Folders } from './folders.ts';
import { Inspecting } from './inspecting.ts';
import { KeptDrafts } from './kept-drafts.ts';
import { sendLeftovers, showLeftovers } from './leftovers.ts';
import type { MountState } from './mount-state.ts';
import { Moving } from './moving.ts';
import { Opening } from './opening.ts';
import type { OpenFile } from './open-file.ts';
import type { FileSystemOperations } from './operations.ts';
import { PailFileSystem, unsentFiles, type FileSystemParts } from './pail-file-system.ts';
import { readOnly } from './read-only.ts';
import { Reading } from './reading.ts';
import { Removing } from './removing.ts';
import { RenameJournal } from './rename-journal.ts';
import { Renaming } from './renaming.ts';
import { Resuming } from './resuming.ts';
import { Sending } from './sending.ts';
import type { FileSystemSettings } from './settings.ts';
import { Shelf } from './shelf.ts';
import { ShelfRecords } from './shelf-records.ts';
import { Uploading } from './uploading.ts';
import { Usage } from './usage.ts';
import { Writing } from './writing.ts';
import { Xattrs } from './xattrs.ts';

/** Names remembered in all; about 300 bytes each. */
const MAX_NAMES = 1_000_000;

export interface FileSystemInputs {
  readonly service: ObjectService;
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: FileSystemSettings;
  /** State directories of dead mounts: what is in them goes to this one. */
  readonly adopted?: readonly string[];
  /** The local disk; a test may hand in one that is full. */
  readonly localFiles?: LocalFiles;
}

/** Bytes that the service could not be given. */
export interface UnsentDraft {
  readonly path: string;
  /** The local file that holds them. */
  readonly file: string;
  readonly reason: string;
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
  /** Trust no earlier answer of the service any more. */
  refresh(): void;
  /** What waits on the shelf (shelf.ts). */
  shelf(): readonly ShelvedFile[];
  /** Bytes handed to uploads so far: grows while `close` gets anywhere. */
  bytesSent(): number;
  /**
   * Stores what is not stored yet, and gives up when for `patience` milliseconds nothing went up. Returns what could not be
   * stored: those bytes stay in their local files. Call after the kernel has let go.
   */
  close(patience: number): Promise<UnsentDraft[]>;
}

interface MountedParts extends FileSystemParts {
  readonly resuming: Resuming;
}

/**
 * A file system over `bucket`. Shows what dead mounts left, begins to store it, and goes on with renames that a crash cut; else it
 * asks the service nothing before a program does. A read-only one leaves all that alone. Rejects with the local disk's error, or
 * as `openLocalState`.
 */
export async function openFileSystem(inputs: FileSystemInputs): Promise<MountedFileSystem> {
  const { settings, adopted = [], localFiles: files = nodeLocalFiles, clock, log } = inputs;
  const local = await openLocalState([settings.stateDirectory, ...adopted], { files, clock, log });
  try {
    return await openOver(local, inputs);
  } catch (error) {
    await local.close();
    throw error;
  }
}

async function openOver(local: LocalState, inputs: FileSystemInputs): Promise<MountedFileSystem> {
  const gates = createGates();
  const mount = mountState(local, inputs, gates);
  const parts = fileSystemParts(mount, { ...inputs, gates, local });
  await mount.content.prepare();
  const operations = new PailFileSystem(parts);
  if (!inputs.settings.readOnly) {
    const leftovers = await showLeftovers(mount, local.recovery);
    const shelved = await parts.shelf.restore();
    // Takes drafts along, so after they are there; and before programs and uploads can claim its paths.
    parts.resuming.start();
    void sendLeftovers(mount, parts.uploading, [...leftovers, ...shelved]);
  }
  const setAside = local.recovery.drafts.filter((record) => record.state === 'set aside');
  return {
    operations: inputs.settings.readOnly ? readOnly(operations) : operations,
    setAside: [
      ...setAside.map(({ id, facts, reason }) => ({
        key: facts.key,
        file: local.drafts.pathOf(id),
        reason: reason ?? '',
      })),
      ...local.recovery.unreadable.map(({ path }) => ({ key: '?', file: path, reason: 'it has no header' })),
    ],
    refresh: () => {
      mount.namespace.known.refresh();
    },
    shelf: () =>
      mount.table.all().flatMap(({ path, size, shelf }) => (shelf === null ? [] : [{ path, size }])),
    bytesSent: () => mount.content.bytesSent,
    close: async (patience) => {
      try {
        return await closeFileSystem(parts, patience);
      } finally {
        mount.kept.close();
        await local.close();
      }
    },
  };
}

function mountState(local: LocalState, inputs: FileSystemInputs, gates: Gates): MountState {
  const { service, bucket, clock, log, settings } = inputs;
  const store = new BucketStore(service, bucket.bucket, gates);
  const ranges = new RangeReader({ service, bucket: bucket.bucket, gate: gates.reads, clock, log });
  return {
    store,
    namespace: new Namespace({ store, clock, log, ttl: settings.metadataTtl, maxNames: MAX_NAMES }),
    content: new ContentStore({
      ranges,
      cache: new BlockCache(settings.memoryLimit),
      files: inputs.localFiles ?? nodeLocalFiles,
      drafts: local.drafts,
      stateDirectory: local.directory,
      clock,
      log,
    }),
    claims: new PathClaims(),
    table: new FileTable(),
    kept: new KeptDrafts({ journal: local.journal, clock, log }),
    settings,
    clock,
    log,
  };
}

interface PartsInputs extends FileSystemInputs {
  readonly gates: Gates;
  readonly local: LocalState;
}

function fileSystemParts(mount: MountState, inputs: PartsInputs): MountedParts {
  const { service, bucket, clock, log, gates } = inputs;
  const folderTimes = new FolderTimes(clock);
  const folders = new Folders(mount, folderTimes);
  const inspecting = new Inspecting(mount, folderTimes);
  const reading = new Reading(mount);
  const writing = new Writing(mount, reading);
  const shelf = new Shelf(mount, new ShelfRecords(mount, inputs.local));
  const uploading = new Uploading(mount, {
    reading,
    sending: new Sending(mount),
    conflicts: new Conflicts(mount, folderTimes),
    shelf,
  });
  const opening = new Opening(mount, { writing, uploading, folderTimes, shelf });
  const removing = new Removing(mount, writing, folders, folderTimes);
  const copying = new Copying(mount, writing);
  const journal = new RenameJournal(inputs.local.journal, clock, log);
  const moving = new Moving(mount, { copying, uploading, removing, shelf });
  const renameParts = { moving, journal, uploading, folders, folderTimes };
  const folderMoving = new FolderMoving(mount, renameParts);
  const renaming = new Renaming(mount, { ...renameParts, folderMoving });
  const resuming = new Resuming(mount, renameParts);
  const xattrs = new Xattrs(mount, { inspecting, opening, writing, uploading });
  const usage = new Usage(bucket, () => gates.metadata(() => service.getBucket(bucket.bucket)), clock, log);
  return {
    mount,
    inspecting,
    opening,
    reading,
    writing,
    uploading,
    shelf,
    removing,
    renaming,
    resuming,
    folders,
    xattrs,
    usage,
  };
}

async function closeFileSystem(parts: MountedParts, patience: number): Promise<UnsentDraft[]> {
  const { mount, uploading, folders, resuming, shelf } = parts;
  folders.stop();
  shelf.clear(mount.table.all());
  const done = new AbortController();
  const work = Promise.all([
    ...unsentFiles(mount).map((file) => storeOrLog(mount, uploading, file)),
    folders.makeAllReal(true),
    resuming.stop(),
  ]);
  await Promise.race([work, untilNothingMoves(mount, patience, done.signal)]);
  done.abort();
  folders.stop();
  mount.content.close();
  await Promise.all(mount.table.all().map((file) => leaveOrDrop(mount, shelf, file)));
  return unsentFiles(mount).map((file) => ({
    path: file.path,
    file: file.draft?.path ?? '',
    reason: file.failure === null ? 'there was no time left' : describeError(file.failure.error),
  }));
}

/** A program that has the file open beyond our end shall leave no copy of it on the disk, but what is not stored stays. */
async function leaveOrDrop({ kept, log }: MountState, shelf: Shelf, file: OpenFile): Promise<void> {
  const { draft } = file;
  if (draft === null) return;
  if (file.shelf !== null) {
    await shelf.record(file).catch((error: unknown) => {
      log.error('a scratch file could not be kept', { path: file.path, cause: describeError(error) });
    });
    return;
  }
  if (file.dirty) {
    if (draft.poisoned === null) await kept.left(file, draft);
    return;
  }
  file.draft = null;
  await kept.drop(draft);
}

/** A large file on a slow line may take hours, as long as it moves: only standing still is the end. */
async function untilNothingMoves(mount: MountState, patience: number, done: AbortSignal): Promise<void> {
  for (let before = -1; before !== mount.content.bytesSent && !done.aborted;) {
    before = mount.content.bytesSent;
    // The clock of the machine, not the injected one: this bounds how long a person waits.
    await delay(patience, undefined, { signal: done, ref: false }).catch((error: unknown) => {
      if (!done.aborted) throw error;
    });
  }
}

async function storeOrLog(mount: MountState, uploading: Uploading, file: OpenFile): Promise<void> {
  try {
    await uploading.storeAndDrop(file);
  } catch (error) {
    mount.log.error('a file could not be stored before the end', {
      path: file.path,
      cause: describeError(error),
    });
  }
}
