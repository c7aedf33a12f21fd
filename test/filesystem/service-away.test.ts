/** SEMANTICS: what a program sees while the service cannot be reached, and while the local disk is full. */
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/server/faults.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import {
  LogForTest,
  edit,
  errnoOfCall,
  openToEdit,
  openToRewrite,
  textAt,
  writeAt,
} from '../support/program-acts.ts';

describe('while the service is away', () => {
  const cases: [string, Fault, string][] = [
    ['resets connections', { kind: 'reset' }, 'EIO'],
    ['answers 503', { kind: 'status', status: 503 }, 'EIO'],
    ['does not answer', { kind: 'stall' }, 'ETIMEDOUT'],
  ];

  it.each(cases)('and %s, cached names and bytes and df go on [errors/away]', async (_what, fault) => {
    const { fs, foreignWrite, faults, asked } = await openForTest();
    await foreignWrite('f', 'cached');
    await names(fs, '/');
    await readFile(fs, '/f');
    faults.add({ fault, times: Infinity });
    asked();

    expect(await names(fs, '/')).toEqual(['f']);
    expect((await readFile(fs, '/f')).toString()).toBe('cached');
    await expect(fs.getAttributes('/absent')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(fs.statistics().files).toBe(0);
    expect(asked()).toEqual([]);
  });

  it.each(cases)(
    'and %s, what is not cached is an error and is never taken for missing [errors/missing]',
    async (_what, fault, code) => {
      const { fs, foreignWrite, faults, stored } = await openForTest();
      await foreignWrite('f', 'x');
      faults.add({ fault, times: Infinity });

      await expect(fs.getAttributes('/f')).rejects.toMatchObject({ code });
      await expect(names(fs, '/')).rejects.toMatchObject({ code });
      await expect(fs.mkdir('/d', 0o755)).rejects.toMatchObject({ code });
      await expect(fs.unlink('/f')).rejects.toMatchObject({ code });
      faults.clear();

      expect(await names(fs, '/')).toEqual(['f']);
      expect((await readFile(fs, '/f')).toString()).toBe('x');
      expect((await stored('f')).toString()).toBe('x');
    },
  );

  it.each(cases)(
    'and %s, a folder in which an upload failed goes on being listed and takes files [errors/away]',
    async (_what, fault, code) => {
      const { fs, foreignWrite, faults, asked, stored } = await openForTest();
      await foreignWrite('f', 'cached');
      await foreignWrite('edited', 'old');
      await names(fs, '/');
      await readFile(fs, '/edited');
      faults.add({ fault, times: Infinity });

      expect(await errnoOfCall(writeFile(fs, '/new', 'waits'))).toBe(code);
      expect(await errnoOfCall(writeFile(fs, '/edited', 'waits'))).toBe(code);
      asked();
      expect(await names(fs, '/')).toEqual(['edited', 'f', 'new']);
      await expect(fs.getAttributes('/absent')).rejects.toMatchObject({ code: 'ENOENT' });
      expect(asked()).toEqual([]);
      await expect(writeFile(fs, '/another', 'waits')).rejects.toMatchObject({ code });
      expect(await names(fs, '/')).toEqual(['another', 'edited', 'f', 'new']);
      faults.clear();
      await writeFile(fs, '/new', 'stored');

      expect((await stored('new')).toString()).toBe('stored');
    },
  );

  it.each(cases)(
    'and %s, df never waits: the old figures are shown [attributes/statfs]',
    async (_what, fault) => {
      const { fs, faults, clock, asked, foreignWrite } = await openForTest();
      await foreignWrite('f', 'four');
      faults.add({ fault, times: 1 });
      clock.advance(60_001);
      asked();

      expect(fs.statistics().usedBytes).toBe(0);
      await expect.poll(() => asked()).toEqual(['getBucket']);
      clock.advance(60_001);
      fs.statistics();

      await expect.poll(() => fs.statistics().files).toBe(1);
      expect(fs.statistics()).toMatchObject({ usedBytes: 4, files: 1, freeBytes: 2 ** 50 });
    },
  );

  it('an unlink whose answer was lost is found to be done by the next look', async () => {
    const { fs, foreignWrite, faults } = await openForTest();
    await foreignWrite('f', 'x');
    await names(fs, '/');
    faults.add({ operation: 'deleteObject', fault: { kind: 'lost-answer' } });

    await expect(fs.unlink('/f')).rejects.toMatchObject({ code: 'EIO' });

    expect(await names(fs, '/')).toEqual([]);
  });

  it('401 and 403 are EACCES and are not taken for missing [errors/missing]', async () => {
    const { fs, foreignWrite, faults } = await openForTest();
    await foreignWrite('f', 'x');
    faults.add({ fault: { kind: 'status', status: 403 }, times: 2 });

    await expect(fs.getAttributes('/f')).rejects.toMatchObject({ code: 'EACCES' });
    faults.clear();

    expect((await fs.getAttributes('/f')).size).toBe(1);
  });

  it('a close fails and keeps the draft; the next close stores it [write/passing-fault]', async () => {
    const { fs, faults, stored } = await openForTest();
    await names(fs, '/');
    faults.add({ operation: 'putObject', fault: { kind: 'stall' } });

    await expect(writeFile(fs, '/f', 'x')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(await names(fs, '/')).toEqual(['f']);
    await writeFile(fs, '/f', 'y');

    expect((await stored('f')).toString()).toBe('y');
  });
});

describe('while the local disk is full', () => {
  it('write says ENOSPC, flush refuses, and after the close the path shows the old object whole [write/no-space]', async () => {
    const localFiles = new FailingDisk();
    const log = new LogForTest();
    const { fs, foreignWrite, stored, mounted } = await openForTest({ localFiles, log });
    await foreignWrite('f', 'old');
    const handle = await openToRewrite(fs, '/f');
    localFiles.room = 3;

    await expect(writeAt(fs, handle, 'too much')).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(writeAt(fs, handle, 'x')).rejects.toMatchObject({ code: 'ENOSPC' });
    await fs.release(handle);

    expect((await stored('f')).toString()).toBe('old');
    expect((await readFile(fs, '/f')).toString()).toBe('old');
    expect([...localFiles.left]).toEqual([]);
    expect(log.about('cut by an error of the local disk')).toHaveLength(1);
    expect(await mounted.close({ patience: 60_000 })).toEqual([]);
  });

  it('the first write of an edit says ENOSPC when the base has no room, and nothing changes [write/no-space]', async () => {
    const localFiles = new FailingDisk();
    const { fs, foreignWrite, stored, asked } = await openForTest({ localFiles });
    const bytes = patternedBytes(100_000);
    await foreignWrite('f', bytes);
    const handle = await openToEdit(fs, '/f');
    localFiles.room = 50_000;
    asked();

    await expect(writeAt(fs, handle, 'x')).rejects.toMatchObject({ code: 'ENOSPC' });
    await fs.flush(handle);
    expect((await textAt(fs, handle, 99_990)).length).toBeGreaterThan(0);
    await fs.release(handle);

    expect((await stored('f')).equals(bytes)).toBe(true);
    expect(asked()).not.toContain('putObject f');
    localFiles.room = Infinity;
    await edit(fs, '/f', 'x', 0);
    expect((await stored('f')).subarray(0, 1).toString()).toBe('x');
  });

  it('a twentieth of it stays free: write says ENOSPC before, and other files go on when there is room [write/no-space]', async () => {
    const localFiles = new FailingDisk();
    const { fs, foreignWrite, stored } = await openForTest({ localFiles });
    await foreignWrite('f', 'old');
    localFiles.told = { free: 52, total: 1000 };
    const handle = await openToRewrite(fs, '/f');

    await writeAt(fs, handle, 'ab');
    localFiles.told = { free: 50, total: 1000 };
    await expect(writeAt(fs, handle, 'c', 2)).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(fs.fsync(handle)).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'ENOSPC' });
    await fs.release(handle);
    localFiles.told = { free: 60, total: 1000 };
    await writeFile(fs, '/g', '0123456789');

    expect((await stored('f')).toString()).toBe('old');
    expect((await readFile(fs, '/f')).toString()).toBe('old');
    expect((await stored('g')).toString()).toBe('0123456789');
    expect([...localFiles.left]).toEqual([]);
  });

  it('an edit or a rename whose bytes have no room says ENOSPC, downloads nothing and changes nothing [rename/no-space]', async () => {
    const localFiles = new FailingDisk();
    const { fs, foreignWrite, asked } = await openForTest({ localFiles });
    await foreignWrite('f', '0123456789');
    await names(fs, '/');
    localFiles.told = { free: 59, total: 1000 };
    const handle = await openToEdit(fs, '/f');
    asked();

    await expect(writeAt(fs, handle, 'x')).rejects.toMatchObject({ code: 'ENOSPC' });
    await fs.flush(handle);
    await fs.release(handle);
    await expect(fs.truncate('/f', 10_000)).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'ENOSPC' });

    expect(asked()).toEqual(['getVisibility f']);
    expect(await names(fs, '/')).toEqual(['f']);
    expect((await readFile(fs, '/f')).toString()).toBe('0123456789');
    expect([...localFiles.left]).toEqual([]);
  });

  it('a new file cannot be created, and no name is left', async () => {
    const localFiles = new FailingDisk();
    const { fs } = await openForTest({ localFiles });
    localFiles.failures.set('create', 'ENOSPC');

    await expect(openToRewrite(fs, '/f')).rejects.toMatchObject({ code: 'ENOSPC' });

    expect(await names(fs, '/')).toEqual([]);
  });

  it('reading goes on', async () => {
    const localFiles = new FailingDisk();
    const { fs, foreignWrite } = await openForTest({ localFiles });
    localFiles.room = 0;
    localFiles.failures.set('create', 'ENOSPC');
    await foreignWrite('f', 'x');

    expect((await readFile(fs, '/f')).toString()).toBe('x');
  });
});
