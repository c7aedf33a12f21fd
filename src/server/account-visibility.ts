/** Who may see a file, and under which address? (§3.2, §4.12 to §4.14) */
import type { LinkRecord, Visibility, VisibilityRecord } from '../service/records.ts';
import { entryKey, type FileRow } from './index-rows.ts';
import { exclusively, ownedBucket, refuse, type StoreParts, type Subject } from './store-parts.ts';

/** Visibility and links of one account's files. Every method rejects with a `Refusal`, or with a fault of the disk. */
export class AccountVisibility {
  readonly #parts: StoreParts;
  readonly #account: string;

  constructor(parts: StoreParts, account: string) {
    this.#parts = parts;
    this.#account = account;
  }

  async get(bucket: string, key: string): Promise<VisibilityRecord> {
    const row = await this.#file({ operation: 'getVisibility', bucket, key });
    return this.#record(bucket, key, row.public);
  }

  set(bucket: string, key: string, visibility: Visibility): Promise<VisibilityRecord> {
    return exclusively(this.#parts, async () => {
      const row = await this.#file({ operation: 'setVisibility', bucket, key });
      const turnsPrivate = row.public && visibility === 'private';
      const value: FileRow = {
        ...row,
        public: visibility === 'public',
        publicUntil: turnsPrivate ? this.#parts.clock.now() + this.#parts.unpublishLag : row.publicUntil,
      };
      await this.#parts.index.commit([{ type: 'put', key: entryKey(bucket, key), value }]);
      return this.#record(bucket, key, value.public);
    });
  }

  async link(bucket: string, key: string): Promise<LinkRecord> {
    const row = await this.#file({ operation: 'getLink', bucket, key });
    const record = this.#record(bucket, key, row.public);
    return {
      bucket,
      key,
      visibility: record.visibility,
      url: record.url ?? record.shareUrl ?? '',
      expiresAt: record.shareExpiresAt,
    };
  }

  async #file(subject: Subject): Promise<FileRow> {
    await ownedBucket(this.#parts, this.#account, subject);
    const row = await this.#parts.index.entry(subject.bucket, subject.key ?? '');
    if (row?.kind === 'file') return row;
    const reason = 'the file does not exist';
    // §4.14 asks for 400; of the other two the spec says nothing.
    if (subject.operation === 'getLink') throw refuse(subject, 'missing', reason, 400);
    if (this.#parts.behaviours.missingVisibility === 404) throw refuse(subject, 'missing', reason, 404);
    throw refuse(subject, 'rejected', reason, 400);
  }

  #record(bucket: string, key: string, isPublic: boolean): VisibilityRecord {
    const { links, clock } = this.#parts;
    if (isPublic) {
      const url = links.permanent(bucket, key);
      return { key, visibility: 'public', url, shareUrl: null, shareExpiresAt: null };
    }
    const { url: shareUrl, expiresAt } = links.temporary(bucket, key, clock.now());
    return { key, visibility: 'private', url: null, shareUrl, shareExpiresAt: expiresAt };
  }
}
