/** SEMANTICS: what a program sees, and where its bytes are, when the service does not take them. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/server/faults.ts';
import { draftText } from '../support/draft-bytes.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import {
  LogForTest,
  edit,
  openToRewrite,
  setXattr,
  textAt,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { holdNext } from '../support/hold-next.ts';
import { openOverHttp, type OverHttp } from '../support/open-over-http.ts';

const refused = (status: number, times = Infinity): FaultRule => ({
  operation: 'putObject',
  times,
  fault: { kind: 'status', status },
});

describe('while uploads are paused (402)', () => {
  it('a close says EDQUOT, the path shows the draft, and the next close stores it [write/close] [write/passing-fault]', async () => {
    const { fs, store, stored, foreignWrite, asked } = await openForTest();
    await foreignWrite('f', 'old');
    store.changeAccount({ gracePeriod: true });

    await expect(writeFile(fs, '/f', 'new')).rejects.toMatchObject({ code: 'EDQUOT', path: '/f' });
    expect((await stored('f')).toString()).toBe('old');
    expect((await readFile(fs, '/f')).toString()).toBe('new');
    expect((await fs.getAttributes('/f')).size).toBe(3);
    expect(await xattr(fs, '/f', 'user.pailfs.state')).toBe('failed');
    expect(await xattr(fs, '/f', 'user.pailfs.error')).toContain('grace period');
    store.changeAccount({ gracePeriod: false });
    await edit(fs, '/f', '!', 3);

    expect((await stored('f')).toString()).toBe('new!');
    expect(await xattr(fs, '/f', 'user.pailfs.state')).toBe('clean');
    expect(asked()).not.toContain('deleteObject f');
  });

  it('an fsync says EDQUOT, and the next one stores [write/close] [write/passing-fault]', async () => {
    const { fs, faults, stored } = await openForTest();
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'x');
    faults.add(refused(402, 1));

    await expect(fs.fsync(handle)).rejects.toMatchObject({ code: 'EDQUOT' });
    await fs.fsync(handle);

    expect((await stored('f')).toString()).toBe('x');
    await fs.release(handle);
  });

  it('an unmount tries again, and returns what it could not store with its local file and the reason [write/passing-fault] [write/unmount]', async () => {
    const { fs, faults, stored, mounted, stateDirectory } = await openForTest();
    faults.add(refused(402, 3));
    for (const path of ['/one', '/two']) await expect(writeFile(fs, path, path)).rejects.toThrow();

    const unsent = await mounted.close({ patience: 60_000 });

    expect(unsent).toHaveLength(1);
    expect(unsent[0]?.reason).toContain('a fault that was asked for');
    expect(unsent[0]?.file).toContain(stateDirectory);
    expect(await draftText(String(unsent[0]?.file))).toBe(unsent[0]?.path);
    expect(await readdir(join(stateDirectory, 'drafts'))).toHaveLength(1);
    const other = unsent[0]?.path === '/one' ? 'two' : 'one';
    expect((await stored(other)).toString()).toBe(`/${other}`);
  });

  it('an unmount returns what it had no time for [write/unmount]', async () => {
    const { fs, service, mounted } = await openForTest();
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'x');
    const upload = holdNext(service, 'putObject');
    const closing = fs.flush(handle);
    await upload.begun;

    const unsent = await mounted.close({ patience: 10 });

    expect(unsent.map(({ path, reason }) => ({ path, reason }))).toEqual([
      { path: '/f', reason: 'there was no time left' },
    ]);
    expect(await draftText(String(unsent[0]?.file))).toBe('x');
    upload.letGo();
    await closing;
    await fs.release(handle);
  });

  it('a waiting file can be unlinked for nothing, and renamed', async () => {
    const { fs, store, stored, asked } = await openForTest();
    store.changeAccount({ gracePeriod: true });
    await expect(writeFile(fs, '/a', 'a')).rejects.toThrow();
    await expect(writeFile(fs, '/b', 'b')).rejects.toThrow();
    asked();

    await fs.unlink('/a');
    expect(asked()).toEqual([]);
    await fs.rename('/b', '/c', false);
    expect(await names(fs, '/')).toEqual(['c']);
    expect((await readFile(fs, '/c')).toString()).toBe('b');
    store.changeAccount({ gracePeriod: false });
    await edit(fs, '/c', 'B', 0);

    expect((await stored('c')).toString()).toBe('B');
  });
});

describe('an upload that is refused for good', () => {
  it.each([
    [403, 'EACCES'],
    [401, 'EACCES'],
    [413, 'EFBIG'],
    [400, 'EINVAL'],
    [404, 'EIO'],
    [409, 'EIO'],
  ])(
    'with %i is %s at close; the bytes are set aside, and the path shows the service’s file [write/refused]',
    async (status, code) => {
      const log = new LogForTest();
      const { fs, faults, foreignWrite, stateDirectory } = await openForTest({ log });
      await foreignWrite('f', 'old');
      faults.add(refused(status));

      const handle = await openToRewrite(fs, '/f');
      await writeAt(fs, handle, 'new');
      await expect(fs.flush(handle)).rejects.toMatchObject({ code });
      expect(await textAt(fs, handle)).toBe('new');
      await fs.release(handle);

      expect((await readFile(fs, '/f')).toString()).toBe('old');
      const where = String(log.about('set aside')[0]?.fields['where']);
      expect(await draftText(where)).toBe('new');
      expect(dirname(where)).toBe(join(stateDirectory, 'drafts'));
    },
  );

  it('is not remembered against the next write [write/refused]', async () => {
    const { fs, faults, stored } = await openForTest();
    faults.add(refused(413, 1));
    await expect(writeFile(fs, '/f', 'large')).rejects.toMatchObject({ code: 'EFBIG' });
    await expect(fs.getAttributes('/f')).rejects.toMatchObject({ code: 'ENOENT' });

    await writeFile(fs, '/f', 'small');

    expect((await stored('f')).toString()).toBe('small');
  });
});

describe('an upload whose answer was lost', () => {
  it('of an edit in place is stored by the next close, and is no conflict with itself', async () => {
    const { fs, faults, stored, foreignWrite } = await openForTest();
    await foreignWrite('f', 'base');
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    await expect(edit(fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EIO' });
    expect((await readFile(fs, '/f')).toString()).toBe('Base');

    await edit(fs, '/f', '!', 4);

    expect((await stored('f')).toString()).toBe('Base!');
    expect((await readFile(fs, '/f')).toString()).toBe('Base!');
  });

  it('that never arrived is no conflict either', async () => {
    const { fs, faults, stored, foreignWrite } = await openForTest();
    await foreignWrite('f', 'base');
    faults.add({ operation: 'putObject', fault: { kind: 'reset' } });
    await expect(edit(fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EIO' });

    await edit(fs, '/f', '!', 4);

    expect((await stored('f')).toString()).toBe('Base!');
  });

  it('is still a conflict when somebody else stored meanwhile', async () => {
    const { fs, faults, stored, foreignWrite } = await openForTest({ settings: { conflict: 'fail' } });
    await foreignWrite('f', 'base');
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    await expect(edit(fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EIO' });
    await foreignWrite('f', 'them');

    await expect(edit(fs, '/f', '!', 4)).rejects.toMatchObject({ code: 'ESTALE' });

    expect((await stored('f')).toString()).toBe('them');
  });

  it('does not cost the public link', async () => {
    const { fs, faults, direct, bucket, foreignWrite } = await openForTest();
    await foreignWrite('f', 'base');
    await setXattr(fs, '/f', 'user.pailfs.visibility', 'public');
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    await expect(writeFile(fs, '/f', 'new')).rejects.toMatchObject({ code: 'EIO' });

    await writeFile(fs, '/f', 'newer');

    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
  });

  it('of a new file leaves nothing behind when the file is unlinked', async () => {
    const { fs, faults, direct, bucket } = await openForTest();
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    await expect(writeFile(fs, '/f', 'new')).rejects.toMatchObject({ code: 'EIO' });

    await fs.unlink('/f');

    await expect(direct.headObject(bucket, 'f')).rejects.toMatchObject({ kind: 'missing' });
    await expect(fs.getAttributes('/f')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('an upload whose answer was lost and whose second try is refused', () => {
  async function refusedAfterLost(status: number): Promise<OverHttp> {
    const scene = await openOverHttp();
    const { direct, bucket, faults, mounted } = scene;
    await direct.putObject(bucket, 'f', uploadOf('base'));
    await direct.setVisibility(bucket, 'f', 'public');
    await names(mounted.operations, '/');
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    faults.add({ operation: 'putObject', fault: { kind: 'status', status } });
    return scene;
  }

  it('is no conflict with itself, and does not cost the public link [write/passing-fault]', async () => {
    const { mounted, direct, bucket } = await refusedAfterLost(402);
    const fs = mounted.operations;
    await expect(edit(fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EDQUOT' });

    await edit(fs, '/f', '!', 4);

    expect(await names(fs, '/')).toEqual(['f']);
    expect((await readFile(fs, '/f')).toString()).toBe('Base!');
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
  });

  it('leaves what the service has at its path when it was refused for good [write/refused]', async () => {
    const { mounted } = await refusedAfterLost(403);
    const fs = mounted.operations;

    await expect(writeFile(fs, '/f', 'newer')).rejects.toMatchObject({ code: 'EACCES' });

    expect((await fs.getAttributes('/f')).size).toBe(5);
    expect((await readFile(fs, '/f')).toString()).toBe('newer');
  });

  it('leaves no copy under the new name of a rename that fails [rename/undo]', async () => {
    const { mounted, direct, bucket } = await refusedAfterLost(403);

    await expect(mounted.operations.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EACCES' });

    await expect(direct.headObject(bucket, 'g')).rejects.toMatchObject({ kind: 'missing' });
  });
});

it('what fsync could not store is tried again by the end of the mount, also when it was renamed over another file since [write/passing-fault]', async () => {
  const { fs, faults, mounted, stored, foreignWrite } = await openForTest();
  await foreignWrite('f', 'old');
  const handle = await openToRewrite(fs, '/new');
  await writeAt(fs, handle, 'synced');
  faults.add(refused(402, 1));
  await expect(fs.fsync(handle)).rejects.toMatchObject({ code: 'EDQUOT' });
  await fs.rename('/new', '/f', false);

  expect(await mounted.close({ patience: 1000 })).toEqual([]);

  expect((await stored('f')).toString()).toBe('synced');
});
