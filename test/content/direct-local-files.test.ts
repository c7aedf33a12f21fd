/** Are the bytes of a draft whole and in their places, those that go past the page cache and those between them that cannot? */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { alignedMemory } from '../../src/base/aligned-memory.ts';
import { silentLog } from '../../src/base/log.ts';
import { directLocalFiles, readFully, writeFully, type LocalFile } from '../../src/content/local-files.ts';
import { OpenDescriptor } from '../../src/content/open-descriptor.ts';
import { FileModel } from '../support/file-model.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { propertySettings } from '../support/property-settings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PAGE = 4096;
const PAGES = 32;
const O_DIRECT = 0o40000;

/** Whole pages of memory that a disk takes without a copy. */
function pagesOf(data: Uint8Array): Uint8Array {
  const memory = new Uint8Array(alignedMemory(PAGES * 65536) ?? new ArrayBuffer(0), 0, data.length);
  memory.set(data);
  return memory;
}

/** Goes on by a step, in milliseconds, each time that somebody looks. */
class StrikingClock extends ManualClock {
  step = 0;

  override monotonic(): number {
    this.advance(this.step);
    return super.monotonic();
  }
}

async function create(clock = new ManualClock()): Promise<LocalFile> {
  const file = await directLocalFiles({ clock, log: silentLog }).create(
    join(await temporaryDirectory(), 'drafts'),
  );
  onTestFinished(() => file.remove());
  return file;
}

/** For each descriptor of this process at `path`: whether it goes past the page cache. */
function descriptorsAt(path: string): boolean[] {
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      if (readlinkSync(`/proc/self/fd/${number}`) !== path) return [];
      const [, flags = '0'] =
        /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8')) ?? [];
      return [(Number.parseInt(flags, 8) & O_DIRECT) !== 0];
    } catch {
      return [];
    }
  });
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ pages: fc.integer({ min: 1, max: 20 }), at: fc.nat(PAGES) }) },
  { weight: 2, arbitrary: fc.record({ bytes: fc.nat(3 * PAGE), at: fc.nat(PAGES) }) },
  { weight: 1, arbitrary: fc.record({ cut: fc.nat(PAGES * PAGE) }) },
  { weight: 1, arbitrary: fc.constant('sync' as const) },
);

it('has what was written last at each place, in whole pages and in parts of them, cut and extended', async () => {
  const files = directLocalFiles({ clock: new ManualClock(), log: silentLog });
  const directory = join(await temporaryDirectory(), 'drafts');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const file = await files.create(directory);
      const model = new FileModel();
      try {
        for (const [index, next] of steps.entries()) {
          if (next === 'sync') await file.sync();
          else if ('cut' in next) {
            await file.truncate(next.cut);
            model.resize(next.cut);
          } else {
            const size = 'pages' in next ? next.pages * PAGE : next.bytes;
            const data = patternedBytes(size, index + 1);
            const at = next.at * PAGE + ('pages' in next ? 0 : 7);
            await writeFully(file, 'pages' in next ? pagesOf(data) : data, at);
            model.write(data, at);
          }
        }
        const into = Buffer.alloc(model.bytes.length + 1);
        const count = await readFully(file, into, 0);
        expect(into.subarray(0, count).equals(model.bytes)).toBe(true);
        expect(model.bytes.equals(await readFile(file.path))).toBe(true);
      } finally {
        await file.remove();
      }
      expect(descriptorsAt(file.path)).toEqual([]);
    }),
    propertySettings(60),
  );
});

describe('what is written to a draft', () => {
  it('goes past the page cache where it is whole pages', async () => {
    const file = await create();

    await file.write(patternedBytes(3 * PAGE, 1), 0);
    await file.write(pagesOf(patternedBytes(3 * PAGE, 1)), 7);
    const others = descriptorsAt(file.path);
    await file.write(pagesOf(patternedBytes(3 * PAGE, 1)), 4 * PAGE);

    expect(others).toEqual([false]);
    expect(descriptorsAt(file.path).sort()).toEqual([false, true]);
  });

  it('takes no second descriptor while it waits for its upload, and one again when it is written on', async () => {
    const file = await create();
    const data = pagesOf(patternedBytes(PAGE, 1));

    await file.write(data, 0);
    await file.sync();
    const synced = descriptorsAt(file.path);
    await file.write(data, PAGE);

    expect(synced).toEqual([false]);
    expect(descriptorsAt(file.path).sort()).toEqual([false, true]);
    expect(Buffer.concat([data, data]).equals(await readFile(file.path))).toBe(true);
  });

  it('takes a second descriptor in some files at a time only: a process has not many', async () => {
    const files = directLocalFiles({ clock: new ManualClock(), log: silentLog });
    const directory = join(await temporaryDirectory(), 'drafts');
    const data = pagesOf(patternedBytes(PAGE, 1));
    const written = async (): Promise<LocalFile> => {
      const file = await files.create(directory);
      onTestFinished(() => file.remove());
      await file.write(data, 0);
      return file;
    };
    const many: LocalFile[] = [];
    for (let count = 0; count < 100; count += 1) many.push(await written());

    const before = many.flatMap(({ path }) => descriptorsAt(path)).filter((isDirect) => isDirect).length;
    await Promise.all(many.map((file) => file.close()));
    const later = await written();

    expect(before).toBe(32);
    expect(descriptorsAt(later.path).sort()).toEqual([false, true]);
    for (const { path } of many) expect(Buffer.from(data).equals(await readFile(path))).toBe(true);
  });

  it('goes past the page cache also after a write to a place that the disk has no file for', async () => {
    const file = await create();
    const data = pagesOf(patternedBytes(PAGE, 1));
    // Of ext4 that is a place beyond 16 TiB; others have more than a number can say.
    const refusal = Object.assign(new Error('too large'), { code: 'EFBIG' });
    const refused = (['writeTogether', 'write'] as const).map((method) =>
      vi.spyOn(OpenDescriptor.prototype, method).mockRejectedValueOnce(refusal),
    );
    onTestFinished(() => void vi.restoreAllMocks());

    await expect(file.write(data, 2 ** 45)).rejects.toMatchObject({ code: 'EFBIG' });
    expect(refused.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    await file.sync();
    await file.write(data, 0);

    expect(descriptorsAt(file.path).sort()).toEqual([false, true]);
  });

  it('goes into the page cache while the disk is found slow', async () => {
    const clock = new StrikingClock();
    const files = directLocalFiles({ clock, log: silentLog });
    const directory = join(await temporaryDirectory(), 'drafts');
    const [first, second, third] = [
      await files.create(directory),
      await files.create(directory),
      await files.create(directory),
    ];
    onTestFinished(() =>
      Promise.all([first.remove(), second.remove(), third.remove()]).then(() => undefined),
    );
    const data = patternedBytes(PAGE, 1);

    clock.step = 1000;
    await first.write(pagesOf(data), 0);
    clock.step = 0;
    await second.write(pagesOf(data), 0);
    clock.advance(60_000);
    await third.write(pagesOf(data), 0);

    const found = [first, second, third].map(({ path }) => descriptorsAt(path).sort());
    expect(found).toEqual([[false, true], [false], [false, true]]);
    expect(Buffer.from(data).equals(await readFile(second.path))).toBe(true);
  });
});
