/**
 * ARCHITECTURE, "What the kernel keeps": as long as a listing is said to be the same, it is, whatever is done here and elsewhere. The
 * kernel gives it to programs until then, without asking.
 */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { FsError } from '../../src/filesystem/errors.ts';
import type { FileHandle, FileSystemOperations, ShownListing } from '../../src/filesystem/operations.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';

const FOLDERS = ['/', '/F', '/F/G'];
/** One of them waits on the shelf. */
const NAMES = ['a', 'b', '.a.swp', 'G', 'F'];

type Kind =
  | 'write'
  | 'begin'
  | 'end'
  | 'unlink'
  | 'mkdir'
  | 'rmdir'
  | 'rename'
  | 'look'
  | 'open'
  | 'list'
  | 'age'
  | 'refresh'
  | 'foreign-write'
  | 'foreign-delete';

interface Step {
  readonly kind: Kind;
  readonly path: string;
  readonly other: string;
}

const path = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
  .map(([folder, name]) => (folder === '/' ? `/${name}` : `${folder}/${name}`));
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Kind>(
    'write',
    'begin',
    'end',
    'unlink',
    'mkdir',
    'rmdir',
    'rename',
    'look',
    'open',
    'list',
    'list',
    'age',
    'refresh',
    'foreign-write',
    'foreign-delete',
  ),
  path,
  other: path,
});

interface Seen {
  readonly folder: string;
  readonly entries: readonly string[];
  readonly shown: ShownListing;
}

class Trial {
  /** How often a listing was held against one that was said to be the same. */
  compared = 0;
  readonly #test: FileSystemForTest;
  readonly #open: FileHandle[] = [];
  #seen: readonly Seen[] = [];

  constructor(test: FileSystemForTest) {
    this.#test = test;
  }

  /** What is refused is refused. */
  async take(next: Step): Promise<void> {
    await this.#act(next).catch((error: unknown) => {
      if (!(error instanceof FsError)) throw error;
    });
    for (const { folder, entries } of this.#seen.filter((seen) => seen.shown.stillFor() > 0)) {
      expect((await listed(this.#test.fs, folder)).entries).toEqual(entries);
      this.compared += 1;
    }
  }

  async end(): Promise<void> {
    for (const handle of this.#open.splice(0)) await this.#close(handle);
  }

  async #act({ kind, path: at, other }: Step): Promise<void> {
    const { fs, mounted, clock, direct, bucket } = this.#test;
    const intent = { read: true, write: true, truncate: true, exclusive: false, mode: 0o644 };
    switch (kind) {
      case 'write':
        return writeFile(fs, at, at + other);
      case 'begin':
        this.#open.push(await fs.create(at, intent));
        return;
      case 'end': {
        const handle = this.#open.shift();
        if (handle !== undefined) await this.#close(handle);
        return;
      }
      case 'unlink':
        return fs.unlink(at);
      case 'mkdir':
        return fs.mkdir(at, 0o755);
      case 'rmdir':
        return fs.rmdir(at);
      case 'rename':
        return fs.rename(at, other, false);
      case 'look':
        await fs.getAttributes(at);
        return;
      case 'open':
        return fs.release(await fs.open(at, { read: true, write: false, truncate: false }));
      case 'list':
        return this.#list();
      case 'age':
        clock.advance(4000);
        return;
      case 'refresh':
        mounted.refresh(at);
        return;
      case 'foreign-write':
        return this.#test.foreignWrite(at.slice(1), other);
      case 'foreign-delete':
        await direct.deleteObject(bucket, at.slice(1)).catch(() => undefined);
    }
  }

  async #list(): Promise<void> {
    for (const folder of FOLDERS) {
      const { entries, shown } = await listed(this.#test.fs, folder);
      if (shown !== undefined) this.#seen = [...this.#seen, { folder, entries, shown }];
    }
  }

  async #close(handle: FileHandle): Promise<void> {
    await this.#test.fs.flush(handle).catch(() => undefined);
    await this.#test.fs.release(handle).catch(() => undefined);
  }
}

async function listed(
  fs: FileSystemOperations,
  folder: string,
): Promise<{ readonly entries: readonly string[]; readonly shown: ShownListing | undefined }> {
  const batches = fs.readDirectory(folder)[Symbol.asyncIterator]();
  const entries: string[] = [];
  for (;;) {
    const result = await batches.next();
    if (result.done === true) return { entries, shown: result.value };
    for (const { name, attributes } of result.value) entries.push(`${attributes.kind} ${name}`);
  }
}

it(
  'a listing that is said to be the same is: the same names, of the same kinds, in the same order',
  async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const trial = new Trial(await openForTest());
        for (const next of steps) await trial.take(next);
        await trial.end();
        compared += trial.compared;
      }),
      propertySettings(150),
    );
    expect(compared).toBeGreaterThan(150);
  },
  PROPERTY_TIMEOUT,
);
