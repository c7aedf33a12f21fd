/** How do files and folders come and go? (§3.2, §4.6, §4.7, §4.10) */
import { createHash } from 'node:crypto';
import { validateHeaderValue } from 'node:http';
import type { UploadBody } from '../service/object-service.ts';
import type { StoredObject, TimeSpan } from '../service/records.ts';
import { isRefusal } from '../service/refusal.ts';
import { entryKey, type FileRow, type RowChange } from './index-rows.ts';
import { folderExists, hasContent } from './listing.ts';
import { exclusively, ownedBucket, refuse, usageChange, wholeSecond } from './store-parts.ts';
import type { AccountState, StoreParts, Subject } from './store-parts.ts';

const DEFAULT_CONTENT_TYPE = 'application/octet-stream';
/** Bytes; and what else is in no key when only plain ones are taken. */
const LONGEST_PLAIN_KEY = 1024;
const UNPLAIN = /[\p{Cc}\\]/u;

/** Changes of one account's files. Every method rejects with a `Refusal`, or with a fault of the disk. */
export class AccountUploads {
  readonly #parts: StoreParts;
  readonly #account: string;
  readonly #state: AccountState;

  constructor(parts: StoreParts, account: string, state: AccountState) {
    this.#parts = parts;
    this.#account = account;
    this.#state = state;
  }

  async put(bucket: string, key: string, body: UploadBody): Promise<StoredObject> {
    const subject: Subject = { operation: 'putObject', bucket, key };
    await ownedBucket(this.#parts, this.#account, subject);
    this.#check(subject, body);
    const from = wholeSecond(this.#parts.clock);
    const id = Buffer.from(this.#parts.random(16)).toString('hex');
    const hash = createHash('md5');
    await this.#parts.blobs.receive(id, exactly(body, hash, subject));
    const file: FileRow = {
      kind: 'file',
      blob: id,
      size: body.size,
      etag: this.#etag(hash.digest('hex')),
      modified: wholeSecond(this.#parts.clock),
      contentType: body.contentType ?? DEFAULT_CONTENT_TYPE,
      public: false,
      publicUntil: 0,
    };
    await this.#parts.lies.show(() => this.#show(subject, file));
    return {
      bucket,
      key,
      size: body.size,
      storedWithin: this.#told({ from, to: this.#parts.clock.now() }),
      mayArriveAgain: false,
    };
  }

  delete(bucket: string, key: string): Promise<void> {
    return exclusively(this.#parts, async () => {
      const subject: Subject = { operation: 'deleteObject', bucket, key };
      const owner = await ownedBucket(this.#parts, this.#account, subject);
      const { index, behaviours, blobs } = this.#parts;
      const row = await index.entry(bucket, key);
      const mayBeFolder = row?.kind !== 'file' && key.endsWith('/') && behaviours.deleteFolder === 'refused';
      if (mayBeFolder && (await folderExists(index, bucket, key)))
        throw refuse(subject, 'rejected', 'a folder cannot be deleted', 400);
      if (row === undefined) return;
      if (row.kind === 'folder') {
        const kept = behaviours.deleteFolder === 'ignored' || (await hasContent(index, bucket, key));
        if (!kept) await index.commit([{ type: 'del', key: entryKey(bucket, key) }]);
        return;
      }
      await index.commit([{ type: 'del', key: entryKey(bucket, key) }, usageChange(owner, -1, -row.size)]);
      await blobs.remove(row.blob);
      if (behaviours.folders === 'vanishing') await this.#removeEmptyAbove(bucket, key);
    });
  }

  createFolder(bucket: string, folderPath: string): Promise<void> {
    return exclusively(this.#parts, async () => {
      const subject: Subject = { operation: 'createFolder', bucket, key: folderPath };
      await ownedBucket(this.#parts, this.#account, subject);
      const folder = folderPath.replace(/^\/+|\/+$/g, '');
      if (folder === '') throw refuse(subject, 'rejected', 'the folder path is not valid', 400);
      this.#checkKey(subject, `${folder}/`);
      const { behaviours, index } = this.#parts;
      const isTaken = async (): Promise<boolean> =>
        (await index.entry(bucket, folder)) !== undefined || folderExists(index, bucket, `${folder}/`);
      if (behaviours.existingFolder === 'refused' && (await isTaken()))
        throw refuse(subject, 'rejected', 'the name is taken', 409);
      const above = behaviours.folders === 'lasting' ? foldersAbove(`${folder}/`) : [];
      await this.#parts.index.commit(await this.#missingFolders(bucket, [...above, `${folder}/`]));
    });
  }

  #checkKey(subject: Subject, key = subject.key ?? ''): void {
    if (this.#parts.behaviours.keys === 'all') return;
    if (Buffer.byteLength(key) > LONGEST_PLAIN_KEY || UNPLAIN.test(key))
      throw refuse(subject, 'rejected', 'the key is not valid', 400);
  }

  #check(subject: Subject, body: UploadBody): void {
    if (this.#state.gracePeriod)
      throw refuse(subject, 'paused', 'the account is in a grace period: uploads are paused', 402);
    if (subject.key === '') throw refuse(subject, 'rejected', 'the key is empty', 400);
    this.#checkKey(subject);
    const { largestUpload } = this.#parts.behaviours;
    if (largestUpload !== null && body.size > largestUpload)
      throw refuse(subject, 'too-large', `the file is larger than ${largestUpload} bytes`, 413);
    try {
      validateHeaderValue('Content-Type', body.contentType ?? DEFAULT_CONTENT_TYPE);
    } catch (error) {
      throw Object.assign(refuse(subject, 'rejected', 'the content type is not valid', 400), {
        cause: error,
      });
    }
  }

  #etag(md5: string): string {
    const { etag } = this.#parts.behaviours;
    if (etag === 'md5') return md5;
    const random = Buffer.from(this.#parts.random(16)).toString('hex');
    return etag === 'hex' ? random : `${random}-1`;
  }

  async #show(subject: Subject, file: FileRow): Promise<void> {
    try {
      await exclusively(this.#parts, () => this.#enter(subject, file));
    } catch (error) {
      await this.#parts.blobs.remove(file.blob);
      throw error;
    }
  }

  async #enter(subject: Subject, file: FileRow): Promise<void> {
    const { bucket, key = '' } = subject;
    const { index, behaviours, blobs } = this.#parts;
    // Looked up again: the bucket may have gone while the bytes came.
    const owner = await ownedBucket(this.#parts, this.#account, subject);
    const old = await index.entry(bucket, key);
    const replaced = old?.kind === 'file' ? old : undefined;
    const folders =
      behaviours.folders === 'lasting' ? await this.#missingFolders(bucket, foldersAbove(key)) : [];
    const usage = usageChange(owner, replaced === undefined ? 1 : 0, file.size - (replaced?.size ?? 0));
    await index.commit([...folders, { type: 'put', key: entryKey(bucket, key), value: file }, usage]);
    if (replaced !== undefined) await blobs.remove(replaced.blob);
  }

  async #missingFolders(bucket: string, folders: readonly string[]): Promise<RowChange[]> {
    const modified = wholeSecond(this.#parts.clock);
    const changes: RowChange[] = [];
    for (const folder of folders) {
      if ((await this.#parts.index.entry(bucket, folder)) !== undefined) continue;
      changes.push({ type: 'put', key: entryKey(bucket, folder), value: { kind: 'folder', modified } });
    }
    return changes;
  }

  async #removeEmptyAbove(bucket: string, key: string): Promise<void> {
    for (const folder of foldersAbove(key).reverse()) {
      const row = await this.#parts.index.entry(bucket, folder);
      if (await hasContent(this.#parts.index, bucket, folder)) return;
      if (row?.kind === 'folder')
        await this.#parts.index.commit([{ type: 'del', key: entryKey(bucket, folder) }]);
    }
  }

  /** What a client could read from Date headers. */
  #told(span: TimeSpan): TimeSpan | null {
    const ahead = this.#parts.behaviours.date;
    if (ahead === 'missing') return null;
    return { from: span.from + ahead * 1000, to: span.to + ahead * 1000 };
  }
}

/** `a/b/c` gives `a/` and `a/b/`; so does `a/b/c/`. */
function foldersAbove(key: string): string[] {
  const parts = key.replace(/\/$/, '').split('/').slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
}

/** The bytes of `body`, hashed in passing; rejects with `aborted` when they end early, late or with an error. */
async function* exactly(
  body: UploadBody,
  hash: { update(bytes: Uint8Array): unknown },
  subject: Subject,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of body.open()) {
      size += piece.length;
      if (size > body.size) break;
      hash.update(piece);
      yield piece;
    }
  } catch (error) {
    if (isRefusal(error)) throw error;
    throw Object.assign(refuse(subject, 'aborted', 'the body could not be read', 400), { cause: error });
  }
  if (size !== body.size)
    throw refuse(subject, 'aborted', `the body is not of the announced ${body.size} bytes`, 400);
}
