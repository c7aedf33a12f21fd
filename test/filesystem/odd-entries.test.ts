/** An entry of a listing without a usable shape still says that there is a file: nobody may take its name for free. */
import { expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textOf, visibilityOf } from '../support/stored-state.ts';

/** What the client makes of a listing in which the entry of `f` has no size. */
class OddListings extends InterceptedService {
  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  override async listObjects(...asked: Parameters<ObjectService['listObjects']>): Promise<ObjectPage> {
    const page = await super.listObjects(...asked);
    const objects = page.objects.filter(({ key }) => key !== 'f');
    const isOdd = objects.length < page.objects.length;
    return isOdd ? { ...page, objects, skipped: 1, skippedKeys: ['f'] } : page;
  }
}

/** Others have stored the public /f, and / is listed. */
async function withOddEntry(): Promise<FileSystemForTest> {
  const scene = await openForTest({ between: (service) => new OddListings(service) });
  await scene.foreignWrite('f', 'theirs');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  await writeFile(scene.fs, '/g', 'mine');
  expect(await names(scene.fs, '/')).toEqual(['g']);
  scene.asked();
  return scene;
}

it('is no free name to who wants to be the first', async () => {
  const scene = await withOddEntry();
  const intent = { read: true, write: true, truncate: false, exclusive: true, mode: 0o600 };

  expect(await errnoOfCall(scene.fs.create('/f', intent))).toBe('EEXIST');
  expect(await errnoOfCall(scene.fs.rename('/g', '/f', true))).toBe('EEXIST');
  expect(await errnoOfCall(scene.fs.mkdir('/f', 0o755))).toBe('EEXIST');

  expect(await textOf(scene, 'f')).toBe('theirs');
});

it('can be read by its name, at the cost of one look', async () => {
  const scene = await withOddEntry();

  expect((await scene.fs.getAttributes('/f')).size).toBe(6);
  expect((await readFile(scene.fs, '/f')).toString()).toBe('theirs');

  expect(scene.asked()).toEqual(['headObject f', 'getObject f']);
});

it('stays public when it is written anew [visibility/preserve]', async () => {
  const scene = await withOddEntry();

  await writeFile(scene.fs, '/f', 'mine');

  expect([await textOf(scene, 'f'), await visibilityOf(scene, 'f')]).toEqual(['mine', 'public']);
});

it('is missing when it was removed here', async () => {
  const scene = await withOddEntry();

  await scene.fs.unlink('/f');

  expect(await errnoOfCall(scene.fs.getAttributes('/f'))).toBe('ENOENT');
});

it('is missing when others have removed it since', async () => {
  const scene = await withOddEntry();
  await scene.direct.deleteObject(scene.bucket, 'f');

  expect(await errnoOfCall(scene.fs.getAttributes('/f'))).toBe('ENOENT');
  expect(await errnoOfCall(scene.fs.getAttributes('/f'))).toBe('ENOENT');

  expect(scene.asked()).toEqual(['headObject f', 'listObjects']);
});
