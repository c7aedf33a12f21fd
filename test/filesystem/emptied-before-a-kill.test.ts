/** SEMANTICS: what is left of a folder whose last file went, when the mount is killed. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { names, openForTest } from '../support/open-for-test.ts';

describe('a folder that was emptied before the kill', () => {
  it.each([
    ['a moment ago is gone where the service does not keep it', 0, []],
    ['some seconds ago stays', 4000, ['d']],
  ] as const)('%s [folders/stay]', async (_, milliseconds, left) => {
    const scene = await openForTest();
    await scene.foreignWrite('d/f', 'bytes');
    await names(scene.fs, '/d');
    await scene.fs.unlink('/d/f');
    scene.clock.advance(milliseconds);
    const onService = async () => (await scene.direct.listObjects(scene.bucket, { folder: '' })).folders;
    await expect.poll(onService).toEqual(left.map((name) => `${name}/`));

    const next = await mountOver(await diskNow(scene), scene);

    expect(await names(next.operations, '/')).toEqual(left);
  });
});
