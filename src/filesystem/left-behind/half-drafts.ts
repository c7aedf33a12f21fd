/**
 * What a dead mount was still writing is set aside; but does the service have those very bytes?
 *
 * It mostly has: a file that was stored keeps its draft as long as a program has it open, and a close that promises nothing of the
 * local disk leaves a draft that only says that it was begun. Such a draft is no news to anybody.
 */
import pLimit from 'p-limit';
import { describeError } from '../../base/errors.ts';
import type { FoundDraft } from '../../content/draft-folder.ts';
import { remove, type Journal } from '../../content/journal/journal.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { currentVisibility } from '../../store/replace.ts';
import type { MountState } from '../mount-state.ts';

/** Files looked at at once. */
const AT_ONCE = 8;

/**
 * Removes the half drafts among `records` whose bytes the service has under their key: an ETag that is their MD5 says so. One whose program
 * had set it public and that is private stays, as only a person can tell whether somebody else has made it so. Asks one HEAD for each, and
 * how visible such a one is; no more after one that failed: those drafts stay. Never rejects.
 */
export async function dropStoredHalves(
  mount: MountState,
  journal: Journal,
  records: readonly DraftRecord[],
): Promise<void> {
  // What is still to be deleted proves nothing: it is about to go.
  const going = new Set(
    journal.contents.deletions.flatMap(({ state, key }) => (state === 'dropped' ? [] : key)),
  );
  const isHalf = ({ state, facts }: DraftRecord): boolean => state === 'set aside' && facts.sealed === null;
  const halves = records.filter((record) => isHalf(record) && !going.has(record.facts.key));
  let isAsking = true;
  await pLimit(AT_ONCE).map(halves, async (record) => {
    if (!isAsking) return;
    const { key } = record.facts;
    try {
      if (!(await isStored(mount, record))) return;
      if (await isPublicationMissing(mount, record)) {
        mount.log.warn(
          'what was being written when an earlier mount ended is stored, but not public as its program had set it',
          {
            key,
          },
        );
        return;
      }
      // In this order: what has only its file the next mount asks about again, what has only its record it calls lost.
      await journal.commit([remove('draft', record)]);
      await mount.resting.delete(record.id);
      mount.log.info('what was being written when an earlier mount ended is stored: its draft is removed', {
        key,
      });
    } catch (error) {
      isAsking = false;
      mount.log.warn('nobody could tell whether a half file is stored: it stays set aside', {
        key,
        cause: describeError(error),
      });
    }
  });
}

async function isStored(mount: MountState, { id, facts }: DraftRecord): Promise<boolean> {
  const found = await mount.resting.find(id);
  if (found === undefined) return false;
  try {
    const { size, etag } = await mount.store.head(facts.key);
    return size === found.size && etag.toLowerCase() === (await md5Of(mount, found));
  } catch (error) {
    if (isRefusal(error, 'missing')) return false;
    throw error;
  }
}

/** The mount may have ended between the upload, which makes private, and the publication. */
async function isPublicationMissing({ store }: MountState, { facts }: DraftRecord): Promise<boolean> {
  return facts.visibility === 'public' && (await currentVisibility(store, facts.key)) === 'private';
}

async function md5Of({ content }: MountState, { id, size }: FoundDraft): Promise<string> {
  const draft = await content.openDraft(id, size);
  return draft.md5().finally(() => draft.close());
}
