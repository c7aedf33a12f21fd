/** SEMANTICS [write/early]: whatever programs do with a file whose last write is still on its way to a slow disk, they see what they wrote. */
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { FileModel } from '../support/file-model.ts';
import { openForTest, readAll, readFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openToEdit } from '../support/program-acts.ts';

const KiB = 1024;
const BASE = patternedBytes(300 * KiB, 99);
/** As headers are. */
const AT_ONCE = 4096;

const whose = fc.constantFrom(0, 1);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      write: fc.constantFrom(100, 64 * KiB, 65 * KiB + 3, 128 * KiB),
      at: fc.nat(400 * KiB),
      whose,
    }),
  },
  { weight: 1, arbitrary: fc.record({ cut: fc.nat(500 * KiB), whose }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('read', 'stat', 'fsync', 'flush', 'rename'), whose }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Two descriptors of one file, and what both must see. */
class Run {
  readonly #scene: FileSystemForTest;
  readonly #handles: readonly [FileHandle, FileHandle];
  /** Not waited for when they are made. */
  readonly #storing: Promise<void>[] = [];
  readonly #model = new FileModel();
  #path: string;
  #given = 0;
  #free = 0;

  private constructor(scene: FileSystemForTest, path: string, handles: readonly [FileHandle, FileHandle]) {
    this.#scene = scene;
    this.#path = path;
    this.#handles = handles;
    this.#model.write(BASE, 0);
  }

  static async begin(scene: FileSystemForTest): Promise<Run> {
    await scene.foreignWrite('f', BASE);
    return new Run(scene, '/f', [await openToEdit(scene.fs, '/f'), await openToEdit(scene.fs, '/f')]);
  }

  async act(next: Step, index: number): Promise<void> {
    const { fs } = this.#scene;
    const handle = this.#handles[next.whose === 0 ? 0 : 1];
    if ('write' in next) await this.#write(handle, patternedBytes(next.write, index + 1), next.at);
    else if ('cut' in next) {
      this.#model.resize(next.cut);
      await fs.truncate(this.#path, next.cut, handle);
    } else if (next.do === 'read') expect((await readAll(fs, handle)).equals(this.#model.bytes)).toBe(true);
    else if (next.do === 'stat')
      expect((await fs.getAttributes(this.#path, handle)).size).toBe(this.#model.bytes.length);
    else if (next.do === 'fsync') this.#storing.push(fs.fsync(handle));
    else if (next.do === 'flush') this.#storing.push(fs.flush(handle));
    else await this.#rename(`/f${index}`);
  }

  async end(): Promise<void> {
    const { fs, mounted, stored } = this.#scene;
    await Promise.all(this.#storing);
    for (const handle of this.#handles) {
      await fs.flush(handle);
      await fs.release(handle);
    }
    expect((await readFile(fs, this.#path)).equals(this.#model.bytes)).toBe(true);
    expect(this.#free).toBe(this.#given);
    expect(await mounted.close({ patience: 5000 })).toEqual([]);
    expect((await stored(this.#path.slice(1))).equals(this.#model.bytes)).toBe(true);
  }

  async #write(handle: FileHandle, data: Uint8Array, at: number): Promise<void> {
    this.#model.write(data, at);
    this.#given += 1;
    await this.#scene.fs.write(handle, data, at, () => {
      this.#free += 1;
      // The next request lies there.
      data.fill(0xee);
    });
  }

  async #rename(to: string): Promise<void> {
    await Promise.all(this.#storing);
    await this.#scene.fs.rename(this.#path, to, false);
    this.#path = to;
  }
}

it.each([false, true])(
  'they see, and the service gets, what was written last (write-back: %s)',
  async (writeBack) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 16 }),
        fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
        async (steps, delays) => {
          const disk = new FailingDisk();
          let calls = 0;
          disk.beforeWrite = async (bytes) => {
            if (bytes > AT_ONCE) await sleep(delays[(calls += 1) % delays.length]);
          };
          const run = await Run.begin(await openForTest({ localFiles: disk, settings: { writeBack } }));
          for (const [index, next] of steps.entries()) await run.act(next, index);
          await run.end();
        },
      ),
      { numRuns: 25 },
    );
  },
);
