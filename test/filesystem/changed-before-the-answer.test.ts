/** SEMANTICS `[fresh/own-changes]`: what a program changes while the service is asked about it lasts, whatever the answer says, which is older. */
import { describe, expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const TTL = 10_000;

describe('a folder that is removed here while another program still waits to look at it', () => {
  it('does not come back [fresh/own-changes]', async () => {
    const { fs, lookEnds } = await withFolderRemoved();

    await lookEnds();

    expect(await names(fs, '/')).toEqual(['x']);
    expect(await errnoOfCall(fs.getAttributes('/d'))).toBe('ENOENT');
  });

  it('does not hide a file that has taken its name [fresh/own-changes]', async () => {
    const { fs, lookEnds } = await withFolderRemoved();
    await writeFile(fs, '/d', 'file');

    await lookEnds();

    expect(await fs.getAttributes('/d')).toMatchObject({ kind: 'file', size: 4 });
  });
});

describe('a file that is saved again while a listing shows it as it was saved first, where ETags are no MD5', () => {
  it('is the one saved last, to who reads and who edits it [fresh/own-changes]', async () => {
    const scene = await withListedBetweenSaves();
    const { fs, handle, clock } = scene;
    await fs.release(handle);

    expect((await readFile(fs, '/f')).toString()).toBe('last');
    clock.advance(TTL);
    await edit(fs, '/f', 'L', 0);

    expect(await textsOf(scene)).toEqual({ f: 'Last', x: 'x' });
  });

  it('is not in conflict with what the same program saves next [fresh/own-changes]', async () => {
    const scene = await withListedBetweenSaves();
    const { fs, handle } = scene;

    await writeAt(fs, handle, 'L');
    await fs.flush(handle);

    expect(await textsOf(scene)).toEqual({ f: 'Last', x: 'x' });
    await fs.release(handle);
  });
});

/** A program looks at the folder /d, and has heard what is in it, but not yet whether a file has its name: now it is removed. */
async function withFolderRemoved(): Promise<
  FileSystemForTest & { readonly lookEnds: () => Promise<unknown> }
> {
  const scene = await openForTest();
  const { fs, service } = scene;
  for (const key of ['d/f', 'x']) await scene.foreignWrite(key, 'x');
  const head = holdNext(service, 'headObject');
  const look = errnoOfCall(fs.getAttributes('/d'));
  await head.begun;
  expect(await names(fs, '/')).toEqual(['d', 'x']);
  await fs.unlink('/d/f');
  await fs.rmdir('/d');
  const lookEnds = (): Promise<unknown> => {
    head.letGo();
    return look;
  };
  return { ...scene, lookEnds };
}

/** `handle` has saved /f twice; a listing that the service answered between the two has come after both. */
async function withListedBetweenSaves(): Promise<FileSystemForTest & { readonly handle: FileHandle }> {
  const answers = new HeldAnswers();
  const scene = await openForTest({
    between: answers.between,
    store: { behaviours: { etag: 'random', date: 0 } },
  });
  const { fs, mounted, clock } = scene;
  await scene.foreignWrite('x', 'x');
  await names(fs, '/');
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'frst');
  await fs.flush(handle);
  mounted.refresh('/');
  clock.advance(5);
  const page = answers.hold('listObjects');
  const listing = names(fs, '/');
  await page.made;
  await writeAt(fs, handle, 'last');
  await fs.flush(handle);
  page.letGo();
  await listing;
  return { ...scene, handle };
}
