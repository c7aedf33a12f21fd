/**
 * How does a process stand still between the moment at which a draft is on the disk and that at which the journal says so? A close may ask the
 * disk for both at once: so the commit with the draft's record waits until the draft is there, and then for ever.
 */
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ClassicLevel } from 'classic-level';
import type { RowChange } from '../../src/content/journal/row-database.ts';
import {
  nodeLocalFiles,
  type DiskSpace,
  type LocalFile,
  type LocalFiles,
} from '../../src/content/local-files.ts';

type Commit = (this: ClassicLevel, changes: RowChange[], options: object) => Promise<void>;

/** The row that names a draft. */
const RECORD = /^(?:draft|shelved)\/(.+)$/;
/** A record may say something else of a draft that nobody syncs for it. */
const SYNC_PATIENCE_MS = 1000;
const POLL_MS = 1;

/** Local files that know which drafts were synced, and hold a commit for it. */
export class HeldRecords implements LocalFiles {
  readonly #synced = new Set<string>();
  #hold: { skip: number; readonly held: () => void } | null = null;

  /** For all journals of the process, for good: only for one that is killed. */
  static ofThisProcess(): HeldRecords {
    const records = new HeldRecords();
    const { batch: commit } = ClassicLevel.prototype as unknown as { readonly batch: Commit };
    const held: Commit = async function (changes, options) {
      for (const change of changes) await records.#before(change);
      await commit.call(this, changes, options);
    };
    Reflect.set(ClassicLevel.prototype, 'batch', held);
    return records;
  }

  /** Resolves once a draft is on the disk whose record, or next record, will never be, `skip` others before it. */
  holdOne(skip: number): Promise<void> {
    return new Promise((held) => {
      this.#hold = { skip, held };
    });
  }

  async create(directory: string): Promise<LocalFile> {
    return this.#watched(await nodeLocalFiles.create(directory));
  }

  async open(path: string): Promise<LocalFile> {
    return this.#watched(await nodeLocalFiles.open(path));
  }

  async syncDirectory(directory: string): Promise<void> {
    await nodeLocalFiles.syncDirectory(directory);
  }

  space(directory: string): Promise<DiskSpace> {
    return nodeLocalFiles.space(directory);
  }

  #watched(file: LocalFile): LocalFile {
    if (basename(dirname(file.path)) !== 'drafts') return file;
    return {
      path: file.path,
      read: (into, position) => file.read(into, position),
      write: (data, position) => file.write(data, position),
      truncate: (size) => file.truncate(size),
      bytesOnDisk: () => file.bytesOnDisk(),
      sync: async () => {
        await file.sync();
        this.#synced.add(basename(file.path));
      },
      unlink: () => file.unlink(),
      close: () => file.close(),
      remove: () => file.remove(),
    };
  }

  async #before(change: RowChange): Promise<void> {
    const hold = this.#hold;
    if (hold === null || change.type === 'del' || isStored(change.value)) return;
    const [, draft] = RECORD.exec(change.key) ?? [];
    if (draft === undefined || !(await this.#isSynced(draft))) return;
    hold.skip -= 1;
    if (hold.skip >= 0) return;
    this.#hold = null;
    hold.held();
    await new Promise(() => undefined);
  }

  async #isSynced(draft: string): Promise<boolean> {
    for (let waited = 0; waited < SYNC_PATIENCE_MS && !this.#synced.has(draft); waited += POLL_MS)
      await pause(POLL_MS);
    return this.#synced.has(draft);
  }
}

/** Then nobody needs the draft any more. */
function isStored(row: string): boolean {
  return row.includes('"state":"stored"');
}
