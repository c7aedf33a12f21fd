/** SEMANTICS: an upload takes long. What else in its folder need not wait for it, and would hold up everybody else there? */
import { describe, expect, it } from 'vitest';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToRewrite } from '../support/program-acts.ts';
import { stickUploads } from '../support/stuck-uploads.ts';

/** Several pieces of an upload. */
const LARGE = 'x'.repeat(400_000);

/** `d/f` goes up, for as long as the test lasts; `d/other` is stored, or was removed before. */
async function arrange(writeBack: boolean, isEmptied: boolean): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings: { writeBack } });
  await scene.foreignWrite('d/other', 'other');
  for (const folder of ['/', '/d']) await names(scene.fs, folder);
  if (isEmptied) await scene.fs.unlink('/d/other');
  const { stuck } = stickUploads(scene.service);
  void writeFile(scene.fs, '/d/f', LARGE);
  const begun = (): unknown => {
    scene.clock.advance(writeBack ? 100 : 0);
    return [...stuck];
  };
  await expect.poll(begun).toEqual(['d/f']);
  return scene;
}

describe.each([true, false])('with write-back %s', (writeBack) => {
  it('rmdir is refused at once [write/stopped]', async () => {
    const { fs } = await arrange(writeBack, false);

    expect(await errnoOfCall(fs.rmdir('/d'))).toBe('ENOTEMPTY');
  });

  it('another file is made though the folder was emptied a while ago [write/stopped]', async () => {
    const { fs, clock } = await arrange(writeBack, true);
    for (let second = 0; second < 10; second += 1) {
      clock.advance(1000);
      await new Promise(setImmediate);
    }

    const handle = await openToRewrite(fs, '/d/new');

    expect(await names(fs, '/d')).toEqual(['f', 'new']);
    await fs.release(handle);
  });
});
