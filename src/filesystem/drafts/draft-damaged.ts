/** What if the bytes of a draft are not those that a program has closed? */
import type { Draft } from '../../content/draft.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { FsError } from '../errors.ts';
import type { OpenFile } from '../open-file.ts';

/** The local disk has changed them since: they are not stored unless a person asks for it. */
export class DraftDamaged extends FsError {
  constructor(path: string) {
    super('ESTALE', path, 'these are not the bytes that were written: the local disk has damaged them');
  }
}

/** Of a mount. */
interface Records {
  readonly kept: { recordOf(draft: Draft): DraftRecord | undefined };
}

/** Whether the disk has changed what a close had promised in `draft`, as far as anybody has noted what that was. Rejects with the disk's error. */
export async function isDamaged({ kept }: Records, draft: Draft): Promise<boolean> {
  const sealed = kept.recordOf(draft)?.facts.sealed ?? null;
  // Of another length a person has named it (recovery.ts, reviving.ts).
  return sealed?.md5 != null && sealed.size === draft.size && sealed.md5 !== (await draft.md5());
}

/**
 * What waits, from an earlier mount mostly, has lain on the disk for a while: nobody has promised to store what that has made of it. Costs a
 * reading of what this process has not read.
 */
export async function refuseDamaged(mount: Records, file: OpenFile, draft: Draft): Promise<void> {
  if (!(await isDamaged(mount, draft))) return;
  file.isLeftBehind = true;
  throw new DraftDamaged(file.path);
}
