/** SEMANTICS: a folder is not renamed over one in which something waits to be stored, whatever the service has of that folder. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

/** /d/x is stored; of /e, a folder, the service has nothing but itself. */
async function withFolders(writeBack: boolean): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings: { writeBack } });
  await scene.foreignWrite('d/x', 'of the folder');
  await scene.direct.createFolder(scene.bucket, 'e');
  expect(await names(scene.fs, '/')).toEqual(['d', 'e']);
  return scene;
}

it.each([true, false])(
  'a file that could not be stored yet keeps its folder, and is stored there (write-back %s) [rename/folders]',
  async (writeBack) => {
    const scene = await withFolders(writeBack);
    const { fs, store, mounted } = scene;
    store.changeAccount({ gracePeriod: true });
    await writeFile(fs, '/e/waits', 'promised').catch(() => undefined);

    expect(await errnoOfCall(fs.rename('/d', '/e', false))).toBe('ENOTEMPTY');

    store.changeAccount({ gracePeriod: false });
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ 'd/x': 'of the folder', 'e/waits': 'promised' });
  },
);

it.each([true, false])(
  'so does one whose folder others have removed meanwhile (write-back %s) [rename/folders]',
  async (writeBack) => {
    const scene = await withFolders(writeBack);
    const { fs, direct, bucket, clock } = scene;
    const handle = await openToRewrite(fs, '/e/new');
    await writeAt(fs, handle, 'written');
    await direct.deleteObject(bucket, 'e/');
    clock.advance(LATER);

    expect(await errnoOfCall(fs.rename('/d', '/e', false))).toBe('ENOTEMPTY');

    await fs.flush(handle);
    await fs.release(handle);
    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ 'd/x': 'of the folder', 'e/new': 'written' });
  },
);
