/** SEMANTICS: what is looked at ahead, with write-back, while a program removes a tree? */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, type FileSystemForTest } from '../support/open-for-test.ts';

const isThere = async ({ direct, bucket }: FileSystemForTest, key: string): Promise<boolean> =>
  direct.headObject(bucket, key).then(
    () => true,
    () => false,
  );

describe('a tree that is removed', () => {
  const folders = ['a', 'b', 'c', 'd'];

  async function tree(): Promise<FileSystemForTest> {
    const scene = await openForTest({ settings: { writeBack: true } });
    for (const folder of folders)
      for (const name of ['1', '2', '3']) await scene.foreignWrite(`t/${folder}/${name}`, name);
    for (const path of ['/', '/t', ...folders.map((folder) => `/t/${folder}`)]) await names(scene.fs, path);
    scene.clock.advance(2000);
    scene.asked();
    return scene;
  }

  async function removeFolder({ fs }: FileSystemForTest, path: string): Promise<void> {
    await Promise.all(['1', '2', '3'].map((name) => fs.unlink(`${path}/${name}`)));
    await fs.rmdir(path);
  }

  it('has each folder listed once, from the third on before its first file is unlinked', async () => {
    const scene = await tree();
    await removeFolder(scene, '/t/a');
    scene.asked();

    await removeFolder(scene, '/t/b');
    expect(scene.asked()).toContain('listObjects t/c');
    await removeFolder(scene, '/t/c');
    const asked = scene.asked();

    expect(asked).toContain('listObjects t/d');
    expect(asked).not.toContain('listObjects t/c');
    expect(asked.filter((line) => line.startsWith('headObject'))).toEqual([]);
    await removeFolder(scene, '/t/d');
    expect(await names(scene.fs, '/t')).toEqual([]);
    expect(scene.asked()).not.toContain('listObjects t/d');
  });

  it('keeps what somebody else stores in a folder that was looked at ahead, a second later', async () => {
    const scene = await tree();
    await removeFolder(scene, '/t/a');
    await removeFolder(scene, '/t/b');
    scene.clock.advance(1000);
    await scene.foreignWrite('t/c/2', 'theirs');

    await scene.fs.unlink('/t/c/2');

    await expect.poll(async () => (await scene.mounted.unsent.list()).length).toBe(1);
    expect((await scene.stored('t/c/2')).toString()).toBe('theirs');
  });

  it('goes also when the look ahead fails', async () => {
    const scene = await tree();
    await removeFolder(scene, '/t/a');
    const listing = { operation: 'listObjects', key: /^t\/c\/?$/ } as const;
    scene.faults.add({ ...listing, fault: { kind: 'status', status: 403 } });

    for (const folder of ['b', 'c', 'd']) await removeFolder(scene, `/t/${folder}`);

    expect(await names(scene.fs, '/t')).toEqual([]);
    expect(await isThere(scene, 't/c/1')).toBe(false);
  });

  it('goes also when the look ahead, which a file of it waits for, is refused', async () => {
    const scene = await tree();
    await removeFolder(scene, '/t/a');
    await Promise.all(['1', '2', '3'].map((name) => scene.fs.unlink(`/t/b/${name}`)));
    await drained(scene.mounted);
    const ahead = holdNext(scene.service, 'listObjects');
    const removal = scene.fs.rmdir('/t/b');
    await ahead.begun;
    await scene.fs.unlink('/t/c/1');
    await removal;
    const listing = { operation: 'listObjects', key: /^t\/c\/?$/ } as const;
    scene.faults.add({ ...listing, fault: { kind: 'status', status: 403 } });

    ahead.letGo();
    await drained(scene.mounted);

    expect(await isThere(scene, 't/c/1')).toBe(false);
    expect(await names(scene.fs, '/t/c')).toEqual(['2', '3']);
  });

  it('in another order has nothing looked at ahead', async () => {
    const scene = await tree();
    await removeFolder(scene, '/t/a');
    await removeFolder(scene, '/t/c');
    expect(scene.asked()).not.toContain('listObjects t/d');
    await removeFolder(scene, '/t/b');

    expect(scene.asked()).not.toContain('listObjects t/d');
  });
});
