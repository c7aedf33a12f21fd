/**
 * What dead mounts left on this machine: how is it shown at its paths again, and sent?
 *
 * Only whole contents are shown and sent (content/journal/recovery.ts). Of several for one name the one that was changed, or got the name, last
 * is: the others are set aside, since nobody knows any more whether a program meant them to be replaced.
 */
import pLimit from 'p-limit';
import { describeError, inWords } from '../../base/errors.ts';
import type { Draft } from '../../content/draft.ts';
import type { DraftFacts } from '../../content/draft-facts.ts';
import type { Recovery } from '../../content/journal/recovery.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { versionOf } from '../../content/version-facts.ts';
import type { Version } from '../../store/version.ts';
import type { MountState } from '../mount-state.ts';
import { OpenFile } from '../open-file.ts';
import type { Uploading } from '../write/uploading.ts';

/** Files looked at and sent at once. */
const AT_ONCE = 4;
const SUPERSEDED = 'a later file of the same name waits as well';

/** Shows what `recovery` found; nothing is sent by it. Returns the files that are to be sent. Call before any program looks. */
export async function showLeftovers(mount: MountState, recovery: Recovery): Promise<OpenFile[]> {
  const shown = new Map<string, OpenFile>();
  const waiting = recovery.drafts.filter((record) => record.state !== 'set aside').sort(byChange);
  for (const record of waiting.toReversed()) await show(mount, record, shown);
  for (const record of recovery.unpublished) showUnpublished(mount, record, shown);
  if (shown.size > 0) {
    mount.log.warn('an earlier mount did not store everything; it is stored now', { files: shown.size });
  }
  return [...shown.values()];
}

/** Sends `files`; what cannot be sent stays at its path, or is set aside when it was refused for good. Never rejects. */
export async function sendLeftovers(
  mount: MountState,
  uploading: Uploading,
  files: readonly OpenFile[],
): Promise<void> {
  await pLimit(AT_ONCE).map(files, async (file) => {
    try {
      // What comes from the shelf no close has promised: the queue knows nothing of it.
      const isPromised = file.sealed !== null || !file.dirty;
      if (mount.settings.writeBack && isPromised) uploading.enqueue(file);
      else if (file.dirty) await uploading.settle(file);
      // Only a link is owed: what programs have begun to write since is for their close.
      else await uploading.storeWhole(file, () => 'closed');
    } catch (error) {
      const cause = describeError(error);
      mount.log.warn('what an earlier mount left could not be stored yet', { path: file.path, cause });
    }
  });
}

/** Several for one name are of several mounts, whose sequences tell nothing of each other. */
function byChange(a: DraftRecord, b: DraftRecord): number {
  return changedAt(a.facts) - changedAt(b.facts);
}

function changedAt({ sealed, createdAt }: DraftFacts): number {
  return sealed?.at ?? createdAt;
}

async function show(mount: MountState, record: DraftRecord, shown: Map<string, OpenFile>): Promise<void> {
  const { facts } = record;
  const path = `/${facts.key}`;
  let draft: Draft | null = null;
  try {
    draft = await mount.content.openDraft(record.id, facts.sealed?.size ?? 0, facts);
    const file = draftOnDisk(mount, record, draft, true);
    file.wishes.local = await mount.kept.adopt(record);
    if (shown.has(path)) {
      await mount.kept.aside.whole(file, draft, SUPERSEDED);
      return;
    }
    shown.set(path, file);
    mount.table.add(file);
  } catch (error) {
    const cause = describeError(error);
    mount.log.error('what an earlier mount left cannot be read, and stays where it is', { path, cause });
    // Only here: the next mount tries again.
    const unread: DraftRecord = {
      ...record,
      state: 'set aside',
      reason: `it cannot be read: ${inWords(error)}`,
    };
    mount.resting.add(record.id, { kind: 'draft', record: unread });
    if (draft !== null) await giveUp(mount, record, draft);
  }
}

/** Nobody will send it. Never rejects. */
async function giveUp(mount: MountState, record: DraftRecord, draft: Draft): Promise<void> {
  mount.kept.disown(record);
  try {
    await draft.close();
  } catch (error) {
    const cause = describeError(error);
    mount.log.warn('a draft could not be closed', { path: `/${record.facts.key}`, cause });
  }
}

function uploadOf(
  { contentType }: DraftFacts,
  { size, md5, at }: NonNullable<DraftFacts['sealed']>,
): Version {
  return versionOf({ size, etag: null, md5, lastModified: at, storedWithin: null, contentType });
}

/** The file of a draft that was here before, not yet at its path; `isPromised`: its bytes stay as they are, and whoever writes gets a copy. */
export function draftOnDisk(
  mount: MountState,
  record: DraftRecord,
  draft: Draft,
  isPromised: boolean,
): OpenFile {
  const { facts, lastFailure } = record;
  const file = new OpenFile(`/${facts.key}`, facts.base === null ? null : versionOf(facts.base));
  file.draft = draft;
  file.dirty = true;
  file.isLeftBehind = true;
  file.written = true;
  file.wishes.basis = facts.basis;
  file.wishes.contentType = facts.contentType;
  file.wishes.visibility = facts.visibility;
  for (const unconfirmed of record.unconfirmed) file.doubts.add(versionOf(unconfirmed));
  file.doubts.visibilityBefore = record.visibilityBefore;
  if (record.leftCopy !== undefined) file.leftCopy = versionOf(record.leftCopy);
  if (isPromised) file.seal(draft);
  draft.setLeaving(isPromised);
  // The process may have ended in the middle of its upload, of which no record is made when there is one already.
  if (facts.sealed?.md5 != null) file.doubts.add(uploadOf(facts, facts.sealed));
  for (const { own } of file.doubts.versions) if (own !== null) mount.store.late.addUpload(facts.key, own);
  if (lastFailure !== null)
    file.failure = { error: new Error(lastFailure.message), draft: null, revision: 0 };
  return file;
}

/** Its bytes are stored, and its link is down: only that very version may be made public again, or what replaces it. */
function showUnpublished(mount: MountState, record: DraftRecord, shown: Map<string, OpenFile>): void {
  const path = `/${record.facts.key}`;
  if (record.publish === null) return;
  const version = versionOf(record.publish);
  const waiting = shown.get(path);
  if (waiting !== undefined) {
    waiting.doubts.add(version);
    waiting.doubts.visibilityBefore = 'public';
    waiting.owedLinks = [...waiting.owedLinks, record];
    return;
  }
  version.local = record.facts.local;
  const file = new OpenFile(path, version);
  file.publishPending = true;
  file.owedLinks = [record];
  shown.set(path, file);
  mount.table.add(file);
}
