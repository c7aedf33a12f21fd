/** SEMANTICS: what the next mount of this machine finds when this one is killed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { draftText } from '../support/draft-bytes.ts';
import {
  names,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import {
  edit,
  LogForTest,
  openToEdit,
  openToRewrite,
  setXattr,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { textOf, textOfConflictCopy, visibilityOf } from '../support/stored-state.ts';

async function paused(options?: TestOptions): Promise<FileSystemForTest> {
  const scene = await openForTest(options);
  scene.store.changeAccount({ gracePeriod: true });
  return scene;
}

async function refusedWrite(fs: FileSystemOperations, path: string, text: string): Promise<void> {
  await expect(writeFile(fs, path, text)).rejects.toMatchObject({ code: 'EDQUOT' });
}

describe('a file that could not be stored', () => {
  it('is at its path again after a crash, and waits for the service [crash/unsent]', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'kept');

    const next = await mountOver(await diskNow(scene), scene);

    expect((await readFile(next.operations, '/f')).toString()).toBe('kept');
    expect(await names(next.operations, '/')).toContain('f');
    expect(await xattr(next.operations, '/f', 'user.pailfs.state')).toMatch(/failed|uploading/);
    expect(next.setAside).toEqual([]);
  });

  it.each([
    ['the mount whose directory is taken over', true],
    ['the mount that takes over', false],
  ])(
    'is set aside when a later one of its name waits as well, of %s, and the next mount names it at once [crash/half]',
    async (_of, isOwnFirst) => {
      const scene = await paused();
      const stateDirectory = await temporaryDirectory();
      const other = await mountOver({ directory: stateDirectory }, scene);
      const mounts = isOwnFirst ? [scene.fs, other.operations] : [other.operations, scene.fs];
      for (const [index, fs] of mounts.entries()) {
        await refusedWrite(fs, '/f', ['earlier', 'later'][index] ?? '');
        // Both go by it.
        scene.clock.advance(1000);
      }
      // Tried again it is no later.
      const [first = scene.fs] = mounts;
      const handle = await openToEdit(first, '/f');
      await expect(first.fsync(handle)).rejects.toMatchObject({ code: 'EDQUOT' });
      const [disk, others] = [await diskNow(scene), await diskNow({ stateDirectory })];
      scene.store.changeAccount({ gracePeriod: false });

      const next = await mountOver(disk, scene, { adopted: [others] });

      expect(next.setAside).toMatchObject([
        { key: 'f', reason: 'a later file of the same name waits as well' },
      ]);
      expect(await draftText(next.setAside[0]?.file ?? '')).toBe('earlier');
      expect((await readFile(next.operations, '/f')).toString()).toBe('later');
    },
  );

  it('is stored by the next mount unasked [crash/unsent]', async () => {
    const scene = await paused();
    for (const name of ['a', 'b', 'c']) await refusedWrite(scene.fs, `/${name}`, `kept ${name}`);
    const disk = await diskNow(scene);
    scene.store.changeAccount({ gracePeriod: false });

    await mountOver(disk, scene);

    for (const name of ['a', 'b', 'c']) {
      await expect.poll(() => textOf(scene, name)).toBe(`kept ${name}`);
    }
  });

  it('is stored once: the mount after that finds nothing [crash/unsent]', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'kept');
    const disk = await diskNow(scene);
    scene.store.changeAccount({ gracePeriod: false });
    const next = await mountOver(disk, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);
    expect(await textOf(scene, 'f')).toBe('kept');
    await scene.direct.deleteObject(scene.bucket, 'f');

    const last = await mountOver(disk, scene);

    expect(await names(last.operations, '/')).toEqual([]);
    expect(last.setAside).toEqual([]);
  });

  it('is tried again by fsync, with the error if it fails again [crash/unsent]', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'kept');
    const { operations: fs } = await mountOver(await diskNow(scene), scene);
    const handle = await openToEdit(fs, '/f');

    await expect(fs.fsync(handle)).rejects.toMatchObject({ code: 'EDQUOT' });
    scene.store.changeAccount({ gracePeriod: false });
    await fs.fsync(handle);

    expect(await textOf(scene, 'f')).toBe('kept');
    await fs.release(handle);
  });

  it('keeps its type and the visibility that was asked for', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'kept');
    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');
    await expect(setXattr(scene.fs, '/f', 'user.mime_type', 'text/x-kept')).rejects.toThrow();
    const disk = await diskNow(scene);
    scene.store.changeAccount({ gracePeriod: false });

    const next = await mountOver(disk, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(await visibilityOf(scene, 'f')).toBe('public');
    expect((await scene.direct.headObject(scene.bucket, 'f')).contentType).toBe('text/x-kept');
  });

  it('is at the name that it was renamed to', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/old', 'kept');
    await scene.fs.rename('/old', '/new', false);

    const next = await mountOver(await diskNow(scene), scene);

    expect(await names(next.operations, '/')).toEqual(['new']);
    expect((await readFile(next.operations, '/new')).toString()).toBe('kept');
  });

  it('that was unlinked does not come back', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'gone');
    await scene.fs.unlink('/f');

    const next = await mountOver(await diskNow(scene), scene);

    expect(await names(next.operations, '/')).toEqual([]);
    expect(next.setAside).toEqual([]);
  });

  it('and was stored by a later close does not come back', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'first');
    scene.store.changeAccount({ gracePeriod: false });
    await edit(scene.fs, '/f', '!', 5);
    await scene.foreignWrite('f', 'foreign');

    const next = await mountOver(await diskNow(scene), scene);

    expect((await readFile(next.operations, '/f')).toString()).toBe('foreign');
    expect(next.setAside).toEqual([]);
  });

  it('and was being changed is set aside: half of it is not stored [crash/half]', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'whole');
    const handle = await openToEdit(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'HA', 0);
    const disk = await diskNow(scene);
    scene.store.changeAccount({ gracePeriod: false });

    const next = await mountOver(disk, scene);

    expect(await names(next.operations, '/')).toEqual([]);
    expect(next.setAside).toMatchObject([{ key: 'f' }]);
    expect(await draftText(next.setAside[0]?.file ?? '')).toBe('HAole');
    await scene.fs.release(handle);
  });

  it('is set aside when the service refuses it for good by then', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'kept');
    const disk = await diskNow(scene);
    scene.store.changeAccount({ gracePeriod: false });
    scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });

    const next = await mountOver(disk, scene);
    await expect.poll(() => names(next.operations, '/')).toEqual([]);
    await next.close({ patience: 60_000 });
    const last = await mountOver(disk, scene);

    expect(last.setAside).toMatchObject([{ key: 'f' }]);
    expect(await draftText(last.setAside[0]?.file ?? '')).toBe('kept');
  });

  it('stays here, neither shown nor sent, while the bucket is mounted read-only', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'kept');
    const disk = await diskNow(scene);
    scene.store.changeAccount({ gracePeriod: false });
    scene.asked();

    const readOnly = await mountOver(disk, scene, { settings: { readOnly: true } });
    expect(await names(readOnly.operations, '/')).toEqual([]);
    await readOnly.close({ patience: 60_000 });
    expect(scene.asked().filter((line) => line.startsWith('put'))).toEqual([]);
    await mountOver(disk, scene);

    await expect.poll(() => textOf(scene, 'f')).toBe('kept');
  });
});

describe('an edit in place that could not be stored', () => {
  it('is kept beside what somebody else stored since', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'base');
    scene.store.changeAccount({ gracePeriod: true });
    await expect(edit(scene.fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EDQUOT' });
    const disk = await diskNow(scene);
    scene.store.changeAccount({ gracePeriod: false });
    await scene.foreignWrite('f', 'them');

    const next = await mountOver(disk, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(await textOf(scene, 'f')).toBe('them');
    expect(await textOfConflictCopy(scene)).toBe('Base');
  });
});

describe('an upload whose end nobody knows', () => {
  it('is looked at by the next mount, and not sent again when it arrived [crash/unknown]', async () => {
    const scene = await openForTest();
    scene.faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    await expect(writeFile(scene.fs, '/f', 'arrived')).rejects.toMatchObject({ code: 'EIO' });
    const disk = await diskNow(scene);
    scene.asked();

    const next = await mountOver(disk, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(scene.asked()).toEqual(['headObject f']);
    expect(await textOf(scene, 'f')).toBe('arrived');
  });

  it('is sent again when it did not arrive [crash/unknown]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'base');
    scene.faults.add({ operation: 'putObject', fault: { kind: 'reset' } });
    await expect(edit(scene.fs, '/f', 'B', 0)).rejects.toMatchObject({ code: 'EIO' });

    const next = await mountOver(await diskNow(scene), scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(await textOf(scene, 'f')).toBe('Base');
  });
});

describe('what was only being written', () => {
  it('is set aside after a crash, and its path shows what the service has [crash/half]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'old');
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'hal');

    const next = await mountOver(await diskNow(scene), scene);

    expect((await readFile(next.operations, '/f')).toString()).toBe('old');
    expect(next.setAside).toMatchObject([{ key: 'f' }]);
    expect(await draftText(next.setAside[0]?.file ?? '')).toBe('hal');
    await scene.fs.release(handle);
  });

  it('is let go of when the service has those very bytes: a file that stays open after its fsync [crash/half]', async () => {
    const scene = await openForTest();
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'stored');
    await scene.fs.fsync(handle);
    const disk = await diskNow(scene);
    const log = new LogForTest();

    const next = await mountOver(disk, scene, { log });

    expect(next.setAside).toEqual([]);
    expect(await readdir(join(disk.directory, 'drafts'))).toEqual([]);
    expect(log.about('its draft is removed')).toMatchObject([{ level: 'info', fields: { key: 'f' } }]);
    expect(await next.unsent.list()).toEqual([]);
    await scene.fs.release(handle);
  });

  it('stays set aside when the service has other bytes of that size, none, or tells nobody [crash/half]', async () => {
    const scene = await openForTest();
    const handles = await Promise.all(
      ['/other', '/none', '/silent'].map((path) => openToRewrite(scene.fs, path)),
    );
    for (const handle of handles) await writeAt(scene.fs, handle, 'mine');
    await scene.foreignWrite('other', 'that');
    await scene.foreignWrite('silent', 'mine');
    scene.faults.add({ operation: 'headObject', key: 'silent', fault: { kind: 'status', status: 503 } });

    const next = await mountOver(await diskNow(scene), scene);

    expect(next.setAside.map(({ key }) => key).sort()).toEqual(['none', 'other', 'silent']);
    for (const handle of handles) await scene.fs.release(handle);
  });

  it('leaves nothing when all that was done to a refused file since was to empty it', async () => {
    const scene = await paused();
    await refusedWrite(scene.fs, '/f', 'refused');
    const handle = await openToRewrite(scene.fs, '/f');
    const disk = await diskNow(scene);

    const next = await mountOver(disk, scene);

    expect(next.setAside).toEqual([]);
    expect(await names(next.operations, '/')).toEqual([]);
    expect(await readdir(join(disk.directory, 'drafts'))).toEqual([]);
    await scene.fs.release(handle);
  });

  it('and was unlinked before is gone', async () => {
    const scene = await openForTest();
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'temporary');
    await scene.fs.unlink('/f');
    await writeAt(scene.fs, handle, 'still here', 0);

    const next = await mountOver(await diskNow(scene), scene);

    expect(next.setAside).toEqual([]);
    await scene.fs.release(handle);
  });

  it('and is stored when the mount ends, though a program still has it open, leaves nothing behind', async () => {
    const scene = await openForTest();
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'bytes');
    await scene.fs.fsync(handle);
    expect(await scene.mounted.close({ patience: 60_000 })).toEqual([]);

    const next = await mountOver(await diskNow(scene), scene);

    expect(next.setAside).toEqual([]);
    expect((await readFile(next.operations, '/f')).toString()).toBe('bytes');
    await scene.fs.release(handle);
  });
});
