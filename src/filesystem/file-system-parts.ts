/** Of which parts is a file system made, and which of them does each part know? */
import type { LocalState } from '../content/local-state.ts';
import type { Bucket } from '../service/records.ts';
import type { Gates } from '../store/gates.ts';
import { Conflicts } from './write/conflicts.ts';
import { Copying } from './rename/copying.ts';
import { DraftEnds } from './drafts/draft-ends.ts';
import type { EndingParts } from './end-of-mount.ts';
import { FolderMoving } from './rename/folder-moving.ts';
import type { FolderTimes } from './names/folder-times.ts';
import { Folders } from './names/folders.ts';
import { Inspecting } from './names/inspecting.ts';
import type { MountInputs } from './mount-means.ts';
import type { MountState } from './mount-state.ts';
import { Moving, type MovingParts } from './rename/moving.ts';
import { Opening } from './opening.ts';
import { Reading } from './read/reading.ts';
import { Removing } from './names/removing.ts';
import { RenameJournal } from './rename/rename-journal.ts';
import { RenameHolds } from './rename/rename-holds.ts';
import { Renaming } from './rename/renaming.ts';
import { Reviving } from './unsent/reviving.ts';
import { Resuming } from './rename/resuming.ts';
import { Sending } from './write/sending.ts';
import { Shelf } from './shelf/shelf.ts';
import { ShelfRecords } from './shelf/shelf-records.ts';
import type { UnsentChange } from './unsent/unsent-change.ts';
import { UnsentChanges } from './unsent/unsent-changes.ts';
import { SiblingReads } from './read/sibling-reads.ts';
import { Storing } from './write/storing.ts';
import { Uploading } from './write/uploading.ts';
import { Usage } from './usage.ts';
import { Deletions } from './write-back/deletions.ts';
import { Sealing } from './write-back/sealing.ts';
import { Writing } from './write/writing.ts';
import { Xattrs } from './attributes/xattrs.ts';

export interface MountedParts extends EndingParts {
  readonly holds: RenameHolds;
  readonly unsent: UnsentChanges;
}

export interface PartsInputs extends Pick<MountInputs, 'service' | 'bucket' | 'clock' | 'log'> {
  readonly gates: Gates;
  readonly local: Pick<LocalState, 'journal' | 'drafts' | 'recovery'>;
  readonly folderTimes: FolderTimes;
  readonly isLeftAsked: boolean;
  /** What earlier mounts left and this one does not go on with, besides drafts. */
  readonly leftAlone: readonly UnsentChange[];
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

/** Made once for each mount. */
export function fileSystemParts(mount: MountState, inputs: PartsInputs): MountedParts {
  const { folderTimes, leftAlone, isLeftAsked, random } = inputs;
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
  const uploads = uploadParts(mount, { ...inputs, reading, deletions, holds });
  const { sealing, shelf, uploading } = uploads;
  const writing = new Writing(mount, reading, sealing);
  const siblings = new SiblingReads(mount);
  const opening = new Opening(mount, { writing, uploading, folderTimes, shelf, reading, siblings });
  const removing = new Removing(mount, { reading, writing, folders, folderTimes, deletions });
  const copying = new Copying(mount, writing);
  const renames = renameParts(mount, { ...inputs, ...uploads, copying, writing, deletions, folders, holds });
  const reviving = new Reviving(mount, { conflicts: uploads.conflicts, holds, deletions });
  const unsent = new UnsentChanges(mount, {
    ...renames,
    uploading,
    deletions,
    reviving,
    isLeftAsked,
    leftAlone,
  });
  const usage = usageOf(inputs);
  const xattrs = new Xattrs(mount, {
    inspecting,
    opening,
    writing,
    uploading,
    usage,
    shelf: uploads.shelf,
    renames: renames.journal,
  });
  return {
    mount,
    ...uploads,
    ...renames,
    holds,
    inspecting,
    opening,
    siblings,
    reading,
    writing,
    removing,
    deletions,
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
  { local, folderTimes, reading, deletions, holds, random }: UploadInputs,
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

function usageOf({ service, bucket, clock, log, gates }: PartsInputs): Usage {
  const ask = (): Promise<Bucket> =>
    gates.metadata((pausing) => service.getBucket(bucket.bucket, { pausing }));
  return new Usage(bucket, ask, clock, log);
}

interface RenameInputs extends PartsInputs, MovingParts {
  readonly folders: Folders;
  readonly holds: RenameHolds;
}

/** What renames, and goes on with renames that were cut. */
function renameParts(
  mount: MountState,
  inputs: RenameInputs,
): Pick<MountedParts, 'renaming' | 'resuming'> & { readonly journal: RenameJournal } {
  const journal = new RenameJournal(inputs.local.journal, inputs.clock, inputs.log);
  const parts = { ...inputs, journal, moving: new Moving(mount, inputs) };
  const resuming = new Resuming(mount, parts);
  const folderMoving = new FolderMoving(mount, { ...parts, resuming });
  return { journal, renaming: new Renaming(mount, { ...parts, folderMoving, resuming }), resuming };
}
