/** An entry of a listing without a usable shape still says that there is a file: nobody may take its name for free. */
import { expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textOf, visibilityOf } from '../support/stored-state.ts';

/** What the client makes of a listing in which the entry of `key` has no size; `always`: whether it is there or not. */
class OddListings extends InterceptedService {
  readonly #key: string;
  readonly #always: boolean;

  constructor(inner: ObjectService, key = 'f', always = false) {
    super(inner, (_call, proceed) => proceed());
    this.#key = key;
    this.#always = always;
  }

  override async listObjects(...asked: Parameters<ObjectService['listObjects']>): Promise<ObjectPage> {
    const page = await super.listObjects(...asked);
    const objects = page.objects.filter(({ key }) => key !== this.#key);
    const isOdd = objects.length < page.objects.length || (this.#always && page.folder === '');
    return isOdd ? { ...page, objects, skipped: 1, skippedKeys: [this.#key] } : page;
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

it('is missing where the file itself is, though listings go on showing it', async () => {
  const { fs, asked } = await openForTest({ between: (service) => new OddListings(service, 'f', true) });
  await names(fs, '/');
  asked();

  expect(await errnoOfCall(fs.getAttributes('/f'))).toBe('ENOENT');
  expect(await errnoOfCall(fs.getAttributes('/f'))).toBe('ENOENT');
  expect(asked()).toEqual(['headObject f', 'listObjects']);

  await writeFile(fs, '/f', 'mine');
  expect((await readFile(fs, '/f')).toString()).toBe('mine');
});

it('keeps the mode that was set of it, and is in sight once it is known', async () => {
  const scene = await withOddEntry();
  await writeFile(scene.fs, '/f', 'mine');
  await scene.fs.setAttributes('/f', { mode: 0o700 });
  scene.clock.advance(11_000);

  expect(await names(scene.fs, '/')).toEqual(['f', 'g']);

  expect((await scene.fs.getAttributes('/f')).mode & 0o777).toBe(0o700);
});

it('does not keep its folder from being removed once it was removed here', async () => {
  const scene = await openForTest({ between: (service) => new OddListings(service, 'd/f') });
  await scene.foreignWrite('d/f', 'theirs');
  expect(await names(scene.fs, '/d')).toEqual([]);
  expect(await errnoOfCall(scene.fs.rmdir('/d'))).toBe('ENOTEMPTY');
  scene.clock.advance(1);

  await scene.fs.unlink('/d/f');
  expect(await names(scene.fs, '/')).toEqual(['d']);
  await scene.fs.rmdir('/d');

  expect(await names(scene.fs, '/')).toEqual([]);
});
