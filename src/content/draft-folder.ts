/** Which drafts are on the local disk? A folder of files, each named by the draft's identifier. */
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError, systemErrorCode } from '../base/errors.ts';
import { SharedRun } from '../base/shared-run.ts';
import { DraftDigest } from './draft-digest.ts';
import type { DraftFacts } from './draft-facts.ts';
import { DraftFile, headerIn } from './draft-file.ts';
import { CONTENT_START } from './draft-header.ts';
import type { LocalFiles } from './local-files.ts';
import { haveSameBytes } from './same-bytes.ts';

/** A draft that was on the disk before this process. */
export interface FoundDraft {
  readonly id: string;
  readonly path: string;
  /** Bytes of content. */
  readonly size: number;
  /** Bytes with its header. */
  readonly fileSize: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** What its header says, or why nothing can be read there: its bytes can still be exported. */
  readonly header: DraftFacts | { readonly unreadable: string };
}

/** The drafts of one state directory. Every method rejects with a Node system error. */
export class DraftFolder {
  readonly path: string;
  readonly #files: LocalFiles;
  readonly #names: SharedRun;

  /** `path` exists. */
  constructor(path: string, files: LocalFiles) {
    this.path = path;
    this.#files = files;
    this.#names = new SharedRun(() => files.syncDirectory(path));
  }

  /** An empty draft. Durable only after its `sync`. */
  async create(facts: DraftFacts): Promise<DraftFile> {
    const file = await this.#files.create(this.path);
    try {
      return await DraftFile.begin(file, facts, () => this.#names.run());
    } catch (error) {
      await file.remove();
      throw error;
    }
  }

  /** The draft that is there, which is what is `recorded` of it. Rejects with `HeaderUnreadable`, too. */
  async open(id: string, recorded?: DraftFacts): Promise<DraftFile> {
    const file = await this.#files.open(this.pathOf(id));
    try {
      return await DraftFile.resume(file, () => this.#names.run(), recorded);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Of all bytes of a draft, lower-case hexadecimal. Rejects with `HeaderUnreadable`, too. */
  async md5(id: string, size: number): Promise<string> {
    const file = await this.open(id);
    try {
      const digest = new DraftDigest();
      await digest.passRest(file, size);
      return digest.digest();
    } finally {
      await file.close();
    }
  }

  /** Whether two drafts that nobody writes to hold the same bytes. Rejects with `HeaderUnreadable`, too. */
  async areSame(id: string, otherId: string): Promise<boolean> {
    const file = await this.open(id);
    try {
      const other = await this.open(otherId);
      try {
        return await haveSameBytes(file, other);
      } finally {
        await other.close();
      }
    } finally {
      await file.close();
    }
  }

  /** All drafts there are, readable or not. A file that cannot be opened is an unreadable draft, never a reason to stop. */
  async list(): Promise<FoundDraft[]> {
    const found: FoundDraft[] = [];
    for (const id of (await readdir(this.path)).sort()) {
      const draft = await this.find(id);
      if (draft !== undefined) found.push(draft);
    }
    return found;
  }

  /** Deletes a draft that nobody has open; nothing happens when it is gone. */
  async remove(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
  }

  pathOf(id: string): string {
    return join(this.path, id);
  }

  /** Undefined when it is gone. */
  async find(id: string): Promise<FoundDraft | undefined> {
    const path = this.pathOf(id);
    const status = await stat(path).catch(undefinedIfMissing);
    if (status === undefined) return undefined;
    const fileSize = status.size;
    const size = Math.max(0, fileSize - CONTENT_START);
    const found = { id, path, size, fileSize, changedAt: status.mtimeMs };
    try {
      return { ...found, header: await this.#factsOf(id) };
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      return { ...found, header: { unreadable: describeError(error) } };
    }
  }

  /** Rejects as `open`. */
  async #factsOf(id: string): Promise<DraftFacts> {
    try {
      const draft = await this.open(id);
      await draft.close();
      return draft.facts;
    } catch (error) {
      // After a fault the system lets nobody write to a disk any more; what is on it can be listed and exported all the same.
      if (systemErrorCode(error) !== 'EROFS') throw error;
      return factsToRead(this.pathOf(id));
    }
  }
}

/** Rejects as `DraftFolder.open`. */
async function factsToRead(path: string): Promise<DraftFacts> {
  const file = await open(path, 'r');
  try {
    const read = async (into: Uint8Array, position: number): Promise<number> =>
      (await file.read(into, 0, into.length, position)).bytesRead;
    return (await headerIn({ read })).facts;
  } finally {
    await file.close();
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') throw error;
}
