/** How is one temporary file kept by Node: open while somebody uses it, and maybe closed in between? */
import { unlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { ALIGNMENT } from '../base/aligned-memory.ts';
import { systemErrorCode } from '../base/errors.ts';
import type { DirectFile, DirectWrites } from './direct-writes.ts';
import type { DiskCalls } from './disk-calls.ts';
import { OpenDescriptor } from './open-descriptor.ts';
import type { RestingFile, RestingFiles } from './resting-files.ts';

/** What all files of a process share. */
export interface ProcessFiles {
  readonly calls: DiskCalls;
  readonly resting: RestingFiles;
}

/** Past the page cache. */
interface DirectWay {
  readonly writes: DirectWrites;
  readonly file: DirectFile;
}

/** A `LocalFile`. */
export class NodeLocalFile implements RestingFile {
  readonly path: string;
  readonly #process: ProcessFiles;
  #direct: DirectWay | null;
  /** Null while it is closed for now. */
  #descriptor: OpenDescriptor | null;
  #opening: Promise<void> | null = null;
  /** Closed, or without a name: it is never opened again. */
  #isEnded = false;

  /** `descriptor` is that of the file at `path`, and nobody else's. */
  constructor(
    files: ProcessFiles,
    path: string,
    descriptor: OpenDescriptor,
    direct: DirectWay | null = null,
  ) {
    this.#process = files;
    this.path = path;
    this.#descriptor = descriptor;
    this.#direct = direct;
  }

  read(into: Uint8Array, position: number): Promise<number> {
    return this.#use((descriptor) => descriptor.read(into, position));
  }

  async write(data: Uint8Array, position: number): Promise<number> {
    const direct = this.#direct;
    if (direct !== null && position % ALIGNMENT === 0 && direct.writes.suitable([data]) > 0) {
      this.#process.resting.used(this);
      if (await direct.file.write([data], position)) return data.length;
    }
    return this.#use((descriptor) => {
      this.#process.resting.used(this);
      return descriptor.write(data, position);
    });
  }

  truncate(size: number): Promise<void> {
    return this.#use((descriptor) => {
      this.#process.resting.used(this);
      return descriptor.truncate(size);
    });
  }

  bytesOnDisk(): Promise<number> {
    return this.#use((descriptor) => descriptor.bytesOnDisk());
  }

  async sync(): Promise<void> {
    // Most drafts are not written to any more: many may wait to be uploaded, each with a descriptor already.
    await this.#direct?.file.close();
    await this.#use((descriptor) => descriptor.sync());
    if (!this.#isEnded && this.#descriptor !== null) this.#process.resting.rests(this);
  }

  closeForNow(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = null;
    // It would be another file that it writes to past the page cache.
    this.#direct = null;
    // After the calls under way. All that a failure could tell of is on the disk.
    descriptor?.closeFreeingNothing().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isEnded = true;
    try {
      await this.#direct?.file.close();
    } finally {
      // Who opens it hears why that failed.
      await this.#opening?.catch(() => undefined);
      this.#process.resting.used(this);
      await this.#descriptor?.close();
    }
  }

  async unlink(): Promise<void> {
    // It goes on without a name.
    await this.#use(() => {
      this.#isEnded = true;
      this.#process.resting.used(this);
      return Promise.resolve();
    });
    await this.#unlinkName();
  }

  async remove(): Promise<void> {
    try {
      // The bytes go with the last of the two, which is for the other thread.
      await this.#unlinkName();
    } finally {
      await this.close();
    }
  }

  /** `call` begins at once when it has the descriptor: one that is in progress keeps it open. */
  async #use<Result>(call: (descriptor: OpenDescriptor) => Promise<Result>): Promise<Result> {
    // Where many are opened anew, another may have taken its place before it is used.
    while (this.#descriptor === null) {
      this.#opening ??= this.#openAgain().finally(() => {
        this.#opening = null;
      });
      await this.#opening;
    }
    return call(this.#descriptor);
  }

  async #openAgain(): Promise<void> {
    if (this.#isEnded) throw Object.assign(new Error('the file is closed'), { code: 'EBADF' });
    try {
      this.#descriptor = await OpenDescriptor.open(this.#process.calls, this.path, 'r+');
    } catch (cause) {
      if (systemErrorCode(cause) !== 'ENOENT') throw cause;
      // To a program that would say that its own file is missing.
      throw Object.assign(new Error(`somebody has deleted ${this.path}`, { cause }), { code: 'EIO' });
    }
    this.#process.resting.reopened(this);
  }

  async #unlinkName(): Promise<void> {
    // rm(1) of Node would look at the file before.
    const removed = this.#process.calls.make(
      () => {
        unlinkSync(this.path);
      },
      () => unlink(this.path),
    );
    await removed.catch((error: unknown) => {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    });
  }
}
