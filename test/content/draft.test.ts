import { createHash } from 'node:crypto';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { Draft } from '../../src/content/draft.ts';
import type { UploadBody } from '../../src/service/object-service.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const md5Of = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

async function createDraft(
  directory: string,
  files: FailingDisk,
  account = files.budget().open(),
): Promise<Draft> {
  await mkdir(directory, { recursive: true });
  return new Draft(await new DraftFolder(directory, files).create(draftFactsOf('f')), account);
}

async function setup() {
  const directory = join(await temporaryDirectory(), 'drafts');
  const files = new FailingDisk();
  const clock = new ManualClock();
  const budget = files.budget(clock);
  const account = budget.open();
  const draft = await createDraft(directory, files, account);
  onTestFinished(() => draft.remove());
  /** The disk has room for so many bytes from now on. */
  const hasLeft = (bytes: number): void => {
    files.told = { free: bytes + 50, total: 1000 };
    clock.advance(1001);
  };
  return { directory, files, draft, budget, account, hasLeft };
}

async function contentOf(draft: Draft): Promise<Uint8Array> {
  const bytes = new Uint8Array(draft.size + 10);
  return bytes.subarray(0, await draft.read(bytes, 0));
}

async function drain(body: UploadBody): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a draft', () => {
  it('gives back what was written, and ends where the last byte ends', async () => {
    const { draft } = await setup();

    await draft.write(text('hello'), 0);
    await draft.write(text('XY'), 2);
    const into = new Uint8Array(10);

    expect(await draft.read(into, 1)).toBe(4);
    expect(new TextDecoder().decode(into.subarray(0, 4))).toBe('eXYo');
    expect(await draft.read(into, 5)).toBe(0);
    expect(draft.size).toBe(5);
  });

  it('reads zeros where nothing was written', async () => {
    const { draft } = await setup();

    await draft.write(text('a'), 3);
    await draft.truncate(6);

    expect([...(await contentOf(draft))]).toEqual([0, 0, 0, 97, 0, 0]);
    expect(await draft.md5()).toBe(md5Of(new Uint8Array([0, 0, 0, 97, 0, 0])));
  });

  it('is a file that only this user can read, until it is removed', async () => {
    const { directory, draft } = await setup();

    const mode = (await stat(draft.path)).mode & 0o777;
    await draft.remove();

    expect(mode).toBe(0o600);
    expect(await readdir(directory)).toEqual([]);
  });

  it('tells changes by its revision', async () => {
    const { draft } = await setup();

    await draft.write(text('a'), 0);
    const written = draft.revision;
    await draft.truncate(0);
    await draft.sync();

    expect([written, draft.revision]).toEqual([1, 2]);
  });

  it('takes writes that the disk takes in small pieces', async () => {
    const { files, draft } = await setup();
    files.most = 3;

    await draft.write(text('abcdefgh'), 0);

    expect(new TextDecoder().decode(await contentOf(draft))).toBe('abcdefgh');
    expect(await draft.md5()).toBe(md5Of(text('abcdefgh')));
  });

  it('has the MD5 of its file after many writes at once, whatever their order', async () => {
    const { draft } = await setup();
    const content = patternedBytes(40_000);

    const starts = Array.from({ length: 40 }, (_, index) => ((index * 7) % 40) * 1000);
    await Promise.all(starts.map((start) => draft.write(content.subarray(start, start + 1000), start)));
    await Promise.all([
      draft.write(text('one'), 10),
      draft.write(text('two'), 11),
      draft.write(text('six'), 9),
    ]);

    expect(await draft.md5()).toBe(md5Of(await contentOf(draft)));
  });

  it('does not read its file again for the MD5 of what an upload has read', async () => {
    const { files, draft } = await setup();
    const content = patternedBytes(1_200_000);
    await draft.write(content, 0);
    await draft.body(undefined).open()[Symbol.asyncIterator]().next();
    await drain(draft.body(undefined));
    files.failures.set('read', 'EIO');

    expect(await draft.md5()).toBe(md5Of(content));
  });

  it('has the MD5 of its file while an upload reads it, and after a later change', async () => {
    const { draft } = await setup();
    await draft.write(patternedBytes(1_200_000), 0);

    const [bytes, md5] = await Promise.all([drain(draft.body(undefined)), draft.md5()]);
    await draft.write(text('!'), 7);

    expect(md5).toBe(md5Of(bytes));
    expect(await draft.md5()).toBe(md5Of(await contentOf(draft)));
  });

  it('behaves like an array of bytes', async () => {
    const step = fc.oneof(
      fc.record({
        at: fc.nat(300),
        data: fc.uint8Array({ minLength: 0, maxLength: 80 }),
      }),
      fc.record({ size: fc.nat(350) }),
      fc.constant('append' as const),
      fc.constant('md5' as const),
    );
    const directory = await temporaryDirectory();
    const files = new FailingDisk();

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const draft = await createDraft(directory, files);
        let model = new Uint8Array();
        const resize = (size: number): void => {
          const next = new Uint8Array(size);
          next.set(model.subarray(0, size));
          model = next;
        };
        const put = async (data: Uint8Array, at: number): Promise<void> => {
          if (data.length > 0) resize(Math.max(model.length, at + data.length));
          model.set(data, data.length > 0 ? at : 0);
          await draft.write(data, at);
        };
        for (const next of steps) {
          if (next === 'append') await put(text('appended'), model.length);
          else if (next === 'md5') expect(await draft.md5()).toBe(md5Of(model));
          else if ('data' in next) await put(next.data, next.at);
          else {
            resize(next.size);
            await draft.truncate(next.size);
          }
        }
        expect(Buffer.compare(await contentOf(draft), model)).toBe(0);
        expect(await draft.md5()).toBe(md5Of(model));
        expect(Buffer.compare(await drain(draft.body(undefined)), model)).toBe(0);
        await draft.remove();
      }),
      { numRuns: 150 },
    );
  });
});

describe('an upload of a draft', () => {
  it('sends the bytes, as often as it is tried, and shows them on their way', async () => {
    const { draft } = await setup();
    const content = patternedBytes(1_200_000);
    await draft.write(content, 0);
    const seen: [number, number][] = [];

    const body = draft.body('text/plain', (data, position) => seen.push([position, data.length]));
    const sent = [await drain(body), await drain(body)];

    expect(body).toMatchObject({ size: 1_200_000, contentType: 'text/plain' });
    expect(sent.map((bytes) => Buffer.compare(bytes, content))).toEqual([0, 0]);
    const once = Array.from({ length: 10 }, (_, piece) => [
      piece * 131_072,
      Math.min(131_072, 1_200_000 - piece * 131_072),
    ]);
    expect(seen).toEqual([...once, ...once]);
  });

  it('fails rather than send a mixture when the draft changes meanwhile', async () => {
    const { draft } = await setup();
    await draft.write(patternedBytes(1_200_000), 0);
    const body = draft.body(undefined);
    const chunks = body.open()[Symbol.asyncIterator]();
    await chunks.next();

    await draft.write(text('!'), 1_100_000);

    await expect(chunks.next()).rejects.toThrow('changed');
  });
});

describe('a full disk', () => {
  it('fails the write that it cut, and the draft is never uploaded [write/no-space]', async () => {
    const { files, draft } = await setup();
    await draft.write(text('abc'), 0);
    files.room = 2;

    await expect(draft.write(text('defg'), 3)).rejects.toMatchObject({ code: 'ENOSPC' });
    files.room = Infinity;

    expect(draft).toMatchObject({ poisoned: 'ENOSPC', size: 3 });
    await expect(draft.write(text('d'), 3)).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(draft.truncate(2)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(() => draft.body(undefined)).toThrow();
  });

  it('has cut nothing any more when the file is emptied and written anew', async () => {
    const { files, draft } = await setup();
    files.room = 2;
    await expect(draft.write(text('abc'), 0)).rejects.toMatchObject({ code: 'ENOSPC' });
    files.room = Infinity;

    await draft.truncate(0);
    await draft.write(text('xy'), 0);

    expect(draft.poisoned).toBeNull();
    expect(Buffer.from(await drain(draft.body(undefined))).toString()).toBe('xy');
    expect(await draft.md5()).toBe(md5Of(text('xy')));
  });

  // A disk may say only then that it is full, or that the quota is used up.
  it.each(
    (['truncate', 'sync'] as const).flatMap((step) =>
      ['EIO', 'ENOSPC', 'EDQUOT'].map((code) => ({ step, code })),
    ),
  )('poisons the draft when $step meets $code', async ({ step, code }) => {
    const { files, draft } = await setup();
    files.failures.set(step, code);

    await expect(step === 'sync' ? draft.sync() : draft.truncate(5)).rejects.toMatchObject({ code });

    expect(draft.poisoned).toBe(code);
  });

  it('fails the creation', async () => {
    const files = new FailingDisk();
    files.failures.set('create', 'ENOSPC');

    const creation = createDraft(await temporaryDirectory(), files);

    await expect(creation).rejects.toMatchObject({ code: 'ENOSPC' });
  });
});

describe('room on the disk', () => {
  it('is asked for before a byte is taken: without it the draft is as it was, and never uploaded [write/no-space]', async () => {
    const { hasLeft, draft, account } = await setup();
    await draft.write(text('abc'), 0);
    hasLeft(3);

    await expect(draft.write(text('defg'), 3)).rejects.toMatchObject({ code: 'ENOSPC' });

    expect(Buffer.from(await contentOf(draft)).toString()).toBe('abc');
    expect([draft.poisoned, account.held]).toEqual(['ENOSPC', 3]);
    expect(() => draft.body(undefined)).toThrow();
  });

  it('is taken once for each byte, comes back with what is cut off, and with the draft', async () => {
    const { draft, budget } = await setup();
    const used: number[] = [];
    const counted = async (step: Promise<void>): Promise<void> => {
      await step;
      used.push(budget.used);
    };

    await counted(draft.write(text('abcdef'), 0));
    await counted(draft.write(text('BCD'), 1));
    await counted(draft.write(text('fg'), 5));
    await counted(draft.truncate(3));
    await counted(draft.remove());

    expect(used).toEqual([6, 6, 7, 3, 0]);
  });

  it('is not taken by a hole', async () => {
    const { hasLeft, draft, account } = await setup();

    await draft.truncate(1_000_000);
    await draft.write(text('abc'), 999_999);
    await draft.write(text('defg'), 5);

    expect([draft.size, account.held]).toEqual([1_000_002, 7]);
    hasLeft(3);
    await expect(draft.write(text('hijk'), 50)).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  it('is kept for what is about to be fetched', async () => {
    const { hasLeft, draft, account } = await setup();

    await draft.reserve(8);
    await draft.write(text('abcdefgh'), 0);

    expect(account.held).toBe(8);
    hasLeft(2);
    await expect(draft.reserve(11)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(draft.poisoned).toBeNull();
  });

  it('that uploads will make is worth asking again: the draft is not cut then', async () => {
    const { files, hasLeft, draft, budget } = await setup();
    const other = await createDraft(await temporaryDirectory(), files, budget.open());
    await other.write(text('abc'), 0);
    other.setLeaving(true);
    hasLeft(3);

    await expect(draft.write(text('defg'), 0)).rejects.toMatchObject({
      code: 'ENOSPC',
      mayPass: true,
      bytes: 4,
    });
    expect(draft.poisoned).toBeNull();
    hasLeft(10);
    await budget.roomFor(4);
    await draft.write(text('defg'), 0);
    await other.remove();
    hasLeft(0);

    await expect(draft.write(text('hi'), 4)).rejects.toMatchObject({ code: 'ENOSPC', mayPass: false });
    expect(draft.poisoned).toBe('ENOSPC');
  });

  it('is looked at again after a failure of the look, and the draft was cut', async () => {
    const { files } = await setup();
    const broken = () => Promise.reject(Object.assign(new Error('no disk'), { code: 'EIO' }));
    files.space = broken;
    const draft = await createDraft(await temporaryDirectory(), files);
    onTestFinished(() => draft.remove());

    await expect(draft.write(text('a'), 0)).rejects.toMatchObject({ code: 'EIO' });

    expect(draft.poisoned).toBe('EIO');
  });
});
