/** SEMANTICS: a file goes, or is replaced, while programs hold it. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { SpaceBudget } from '../../src/content/space-budget.ts';
import { FIRST_WINDOW } from '../../src/content/read-plan.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { hasEnded } from '../support/held-disk.ts';
import { holdNext } from '../support/hold-next.ts';
import { closing, names, openForTest, readAll, readFile, writeFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import {
  LogForTest,
  openToEdit,
  openToRead,
  openToRewrite,
  textAt,
  writeAt,
} from '../support/program-acts.ts';

describe('an unlinked file', () => {
  it('is gone for everybody at once, and its handles go on reading and writing local bytes [unlink/open]', async () => {
    const { fs, foreignWrite, direct, bucket } = await openForTest();
    await foreignWrite('f', 'content');
    const handle = await openToEdit(fs, '/f');

    await fs.unlink('/f');
    await expect(direct.headObject(bucket, 'f')).rejects.toMatchObject({ kind: 'missing' });
    await expect(fs.getAttributes('/f')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await textAt(fs, handle)).toBe('content');
    await writeAt(fs, handle, 'C');
    await fs.truncate('/f', 4, handle);

    expect(await textAt(fs, handle)).toBe('Cont');
    expect(await fs.getAttributes('/f', handle)).toMatchObject({ size: 4, links: 0 });
    await fs.flush(handle);
    await fs.fsync(handle);
    await fs.release(handle);
    expect(await names(fs, '/')).toEqual([]);
    await expect(direct.headObject(bucket, 'f')).rejects.toMatchObject({ kind: 'missing' });
  });

  it.each([
    ['written', writeFile],
    ['read', (fs: FileSystemOperations, path: string) => readFile(fs, path)],
  ])('that was %s leaves nothing in memory', async (_, use) => {
    const { fs, mounted, foreignWrite } = await openForTest();
    await foreignWrite('f', patternedBytes(1_000_000));
    await use(fs, '/f', patternedBytes(1_000_001));
    const before = mounted.counts().inMemory;

    await fs.unlink('/f');

    expect([before > 0, mounted.counts().inMemory]).toEqual([true, 0]);
  });

  it.each(['is already', 'is not yet'])(
    'is missing to who opens it meanwhile, when the service had deleted it before its bytes came, and that %s known [unlink/open]',
    async (known) => {
      const answers = new HeldAnswers();
      const { fs, service, foreignWrite } = await openForTest({ between: answers.between });
      await foreignWrite('f', 'content');
      await names(fs, '/');
      const get = holdNext(service, 'getObject');
      const deletion = answers.hold('deleteObject');
      const removing = fs.unlink('/f');
      const opening = openToRead(fs, '/f');
      await Promise.all([get.begun, deletion.made]);

      if (known === 'is already') {
        deletion.letGo();
        await removing;
      }
      get.letGo();
      const isOpened = hasEnded(opening.catch(() => undefined));
      if (known === 'is not yet') {
        expect(await isOpened).toBe(false);
        deletion.letGo();
      }

      await expect(opening).rejects.toMatchObject({ code: 'ENOENT' });
      await removing;
      expect(await names(fs, '/')).toEqual([]);
    },
  );

  it('whose name another file takes is that to who opens it meanwhile, when its bytes went before they came [unlink/open]', async () => {
    const { fs, service, foreignWrite } = await openForTest();
    await foreignWrite('f', 'content');
    await foreignWrite('g', 'others');
    await names(fs, '/');
    expect((await readFile(fs, '/g')).toString()).toBe('others');
    const [put, removal] = [holdNext(service, 'putObject'), holdNext(service, 'deleteObject')];
    const renaming = fs.rename('/g', '/f', false);
    await put.begun;
    const get = holdNext(service, 'getObject');
    const opening = openToRead(fs, '/f');
    await get.begun;
    put.letGo();
    await removal.begun;

    get.letGo();
    await hasEnded(opening);
    removal.letGo();
    await renaming;

    const handle = await opening;
    expect(await textAt(fs, handle)).toBe('others');
    await fs.release(handle);
  });

  it('gives its name to a new file at once', async () => {
    const { fs, foreignWrite, stored } = await openForTest();
    await foreignWrite('f', 'old');
    const old = await openToRead(fs, '/f');
    await fs.unlink('/f');

    await writeFile(fs, '/f', 'new');

    expect(await textAt(fs, old)).toBe('old');
    expect((await fs.getAttributes('/f', old)).links).toBe(0);
    expect((await fs.getAttributes('/f')).links).toBe(1);
    await fs.release(old);
    expect((await stored('f')).toString()).toBe('new');
    expect((await readFile(fs, '/f')).toString()).toBe('new');
  });

  it('that was never stored costs nothing', async () => {
    const { fs, asked } = await openForTest();
    await names(fs, '/');
    asked();
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'x');

    await fs.unlink('/f');
    expect(await textAt(fs, handle)).toBe('x');
    await fs.flush(handle);
    await fs.release(handle);

    expect(asked()).toEqual([]);
  });

  it('is kept for a reader in the middle of a large file [unlink/open]', async () => {
    const { fs, foreignWrite } = await openForTest();
    const bytes = patternedBytes(3 * FIRST_WINDOW);
    await foreignWrite('f', bytes);
    const handle = await openToRead(fs, '/f');
    await fs.read(handle, Buffer.alloc(1000), 0);

    await fs.unlink('/f');

    expect((await readAll(fs, handle)).equals(bytes)).toBe(true);
    await fs.release(handle);
  });

  it('is kept for a reader while writers wait for more room than it takes [unlink/open]', async () => {
    const { fs, clock, foreignWrite } = await openForTest({
      settings: { cache: 'disk', cacheSize: 1000 * 1000, writeBack: true },
    });
    const asksForRoom = vi.spyOn(SpaceBudget.prototype, 'roomFor');
    onTestFinished(() => {
      asksForRoom.mockRestore();
    });
    await foreignWrite('f', 'content');
    const reader = await openToRead(fs, '/f');
    await writeFile(fs, '/on-its-way', Buffer.alloc(600 * 1000));
    const writer = await openToRewrite(fs, '/large');
    const written = fs.write(writer, Buffer.alloc(600 * 1000), 0);
    await vi.waitFor(() => {
      expect(asksForRoom).toHaveBeenCalled();
    });

    await fs.unlink('/f');

    expect(await textAt(fs, reader)).toBe('content');
    await fs.release(reader);
    clock.advance(100);
    await closing(fs, writer, async () => {
      await written;
    });
  });

  it.each([
    { how: 'unlinked', act: (fs: FileSystemOperations) => fs.unlink('/f') },
    { how: 'renamed', act: (fs: FileSystemOperations) => fs.rename('/f', '/g', false) },
    { how: 'replaced', act: (fs: FileSystemOperations) => fs.rename('/other', '/f', false) },
  ])(
    'that waited for its upload and is $how has no room that a writer could wait for [write/no-space]',
    async ({ act }) => {
      const { fs, clock, foreignWrite } = await openForTest({
        settings: { cache: 'disk', cacheSize: 1000 * 1000, writeBack: true },
      });
      for (const key of ['f', 'other']) await foreignWrite(key, 'old');
      await writeFile(fs, '/f', Buffer.alloc(600 * 1000));
      const reader = await openToRead(fs, '/f');
      await act(fs);
      clock.advance(5000);
      const writer = await openToRewrite(fs, '/large');

      const written = fs.write(writer, Buffer.alloc(600 * 1000), 0);

      await expect(written).rejects.toMatchObject({ code: 'ENOSPC' });
      await fs.release(reader);
    },
  );

  it('is ESTALE for a reader when it is larger than the cache, with a line in the log [unlink/open]', async () => {
    const log = new LogForTest();
    const { fs, foreignWrite } = await openForTest({ log, settings: { memoryLimit: 1024 * 1024 } });
    await foreignWrite('f', patternedBytes(3 * FIRST_WINDOW));
    const handle = await openToRead(fs, '/f');

    await fs.unlink('/f');

    await expect(fs.read(handle, Buffer.alloc(10), 2 * FIRST_WINDOW)).rejects.toMatchObject({
      code: 'ESTALE',
    });
    expect(log.about('too large to keep')).toHaveLength(1);
    await fs.release(handle);
  });

  it('stays when the service refuses the DELETE, and its handles go on', async () => {
    const { fs, foreignWrite, faults, stored } = await openForTest();
    await foreignWrite('f', 'content');
    const handle = await openToEdit(fs, '/f');
    faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 403 } });

    await expect(fs.unlink('/f')).rejects.toMatchObject({ code: 'EACCES' });
    await writeAt(fs, handle, 'C');
    await fs.flush(handle);
    await fs.release(handle);

    expect((await stored('f')).toString()).toBe('Content');
  });

  it('and is written to then, is missed by nobody after a kill [unlink/open] [crash/half]', async () => {
    const log = new LogForTest();
    const scene = await openForTest();
    const { fs, faults } = scene;
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'one');
    await expect(fs.fsync(handle)).rejects.toMatchObject({ code: 'EIO' });
    await fs.unlink('/f');
    await writeAt(fs, handle, 'two');
    faults.clear();

    const next = await mountOver(await diskNow(scene), scene, { log });

    expect(await next.unsent.list()).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each([false, true])(
    'is synced and closed while another file of its name goes up (write-back: %s) [unlink/open]',
    async (writeBack) => {
      const scene = await openForTest({ settings: { writeBack } });
      const { fs } = scene;
      await writeFile(fs, '/f', 'old');
      await drained(scene.mounted);
      const old = await openToEdit(fs, '/f');
      await writeAt(fs, old, 'O');
      await fs.unlink('/f');
      await drained(scene.mounted);
      const upload = holdNext(scene.service, 'putObject');
      const anew = await openToRewrite(fs, '/f');
      await writeAt(fs, anew, 'new');
      const syncing = fs.fsync(anew);
      await upload.begun;

      await fs.fsync(old);
      await fs.flush(old);

      expect(await textAt(fs, old)).toBe('Old');
      expect(await hasEnded(syncing)).toBe(false);
      upload.letGo();
      await syncing;
      await fs.release(old);
      await fs.release(anew);
    },
  );

  it.each([false, true])(
    'with nothing of it here, and is written to then, is missed by nobody after a kill (write-back: %s) [unlink/open] [crash/half]',
    async (writeBack) => {
      const scene = await openForTest({ settings: { writeBack } });
      await scene.foreignWrite('f', '');
      const handle = await openToEdit(scene.fs, '/f');
      await scene.fs.unlink('/f');
      await writeAt(scene.fs, handle, 'of a file without a name');

      const next = await mountOver(await diskNow(scene), scene, {});

      expect(await next.unsent.list()).toEqual([]);
      expect(await textAt(scene.fs, handle)).toBe('of a file without a name');
      await scene.fs.release(handle);
    },
  );

  it('must be a file that exists', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('d/x', '');

    await expect(fs.unlink('/absent')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(fs.unlink('/d')).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(fs.unlink('/d/x/y')).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
