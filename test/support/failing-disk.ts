/** Local files that a test can make fail. */
import {
  nodeLocalFiles,
  type DiskSpace,
  type LocalFile,
  type LocalFiles,
} from '../../src/content/local-files.ts';
import { SpaceBudget } from '../../src/content/space-budget.ts';
import { ManualClock } from './manual-clock.ts';

type Step = 'create' | 'open' | 'read' | 'write' | 'truncate' | 'sync' | 'sync-directory' | 'remove';

export class FailingDisk implements LocalFiles {
  /** Which calls fail from now on, with which error. */
  readonly failures = new Map<Step, string>();
  /** Bytes that writes may still take before the disk is full. */
  room = Infinity;
  /** What it says then. */
  failureWhenFull = 'ENOSPC';
  /** What it says of itself. */
  told: DiskSpace = { free: Infinity, total: 0 };
  /** Most bytes that one call writes or reads. */
  most = Infinity;
  /** Bytes that reads have asked for. */
  asked = 0;
  /** What a write of so many bytes waits for. */
  beforeWrite: (bytes: number) => Promise<void> = () => Promise.resolve();
  /** Called when a file has been synced, before anybody hears of it. */
  afterSync: () => Promise<void> = () => Promise.resolve();
  /** Files that were created and not removed. */
  readonly left = new Set<string>();

  async create(directory: string): Promise<LocalFile> {
    this.#step('create');
    const file = await nodeLocalFiles.create(directory);
    this.left.add(file.path);
    return this.#failing(file);
  }

  async open(path: string): Promise<LocalFile> {
    this.#step('open');
    return this.#failing(await nodeLocalFiles.open(path));
  }

  async syncDirectory(directory: string): Promise<void> {
    this.#step('sync-directory');
    await nodeLocalFiles.syncDirectory(directory);
  }

  space(): Promise<DiskSpace> {
    return Promise.resolve(this.told);
  }

  /** For all who write to it. */
  budget(clock = new ManualClock()): SpaceBudget {
    return new SpaceBudget({ limit: Infinity, disk: () => this.space(), clock });
  }

  #failing(file: LocalFile): LocalFile {
    return {
      path: file.path,
      read: async (into, position) => {
        this.#step('read');
        this.asked += into.length;
        return file.read(into.subarray(0, this.most), position);
      },
      write: async (data, position) => {
        await this.beforeWrite(data.length);
        this.#step('write');
        if (this.room === 0) throw systemError(this.failureWhenFull);
        const count = await file.write(data.subarray(0, Math.min(this.most, this.room)), position);
        this.room -= count;
        return count;
      },
      truncate: async (size) => {
        this.#step('truncate');
        await file.truncate(size);
      },
      sync: async () => {
        this.#step('sync');
        await file.sync();
        await this.afterSync();
      },
      bytesOnDisk: () => file.bytesOnDisk(),
      unlink: () => file.unlink(),
      close: () => file.close(),
      remove: async () => {
        this.#step('remove');
        this.left.delete(file.path);
        await file.remove();
      },
    };
  }

  #step(step: Step): void {
    const code = this.failures.get(step);
    if (code !== undefined) throw systemError(code);
  }
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as the test asked`), { code });
}
