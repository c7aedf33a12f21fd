/** A folder that was emptied here is filled again while an older listing of the one above is under way, which arrives then. */
import { describe, expect, it } from 'vitest';
import { HeldAnswers } from '../support/held-answers.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';

interface Scene extends FileSystemForTest {
  /** Runs `act` after the listing of `/` was answered, and before the answer is here. Returns what the listing shows. */
  readonly whileListed: (act: () => unknown) => Promise<readonly string[]>;
}

/** `path` was the only file of its folder, and is gone. */
async function withEmptied(path: string): Promise<Scene> {
  const answers = new HeldAnswers();
  const pail = await openForTest({ between: answers.between });
  await pail.foreignWrite(path.slice(1), 'x');
  await pail.fs.getAttributes(path);
  await names(pail.fs, path.slice(0, path.lastIndexOf('/')));
  await pail.fs.unlink(path);
  const whileListed: Scene['whileListed'] = async (act) => {
    const { made, letGo } = answers.hold('listObjects');
    const listing = names(pail.fs, '/');
    await made;
    await act();
    letGo();
    return listing;
  };
  return { ...pail, whileListed };
}

describe('a listing from when a folder was empty does not make it vanish', () => {
  it('when a file is stored in it [fresh/own-changes]', async () => {
    const { fs, whileListed } = await withEmptied('/d/f');

    expect(await whileListed(() => writeFile(fs, '/d/g', 'new'))).toEqual(['d']);

    expect(await fs.getAttributes('/d')).toMatchObject({ kind: 'folder' });
    await writeFile(fs, '/d/h', 'more');
    expect(await names(fs, '/d')).toEqual(['g', 'h']);
  });

  it('nor the one above, when a folder is made in it [fresh/own-changes]', async () => {
    const { fs, whileListed } = await withEmptied('/p/d/f');

    expect(await whileListed(() => fs.mkdir('/p/d/new', 0o755))).toEqual(['p']);

    for (const path of ['/p', '/p/d', '/p/d/new'])
      expect(await fs.getAttributes(path)).toMatchObject({ kind: 'folder' });
  });

  it('when it is made to stay after three seconds [folders/stay]', async () => {
    const { fs, whileListed, clock, direct, bucket } = await withEmptied('/p/d/f');
    const isMade = async (): Promise<readonly string[]> =>
      (await direct.listObjects(bucket, { folder: 'p' })).folders;

    const shown = await whileListed(async () => {
      clock.advance(3500);
      await expect.poll(isMade).toEqual(['p/d/']);
    });

    expect(shown).toEqual(['p']);
    for (const path of ['/p', '/p/d']) expect(await fs.getAttributes(path)).toMatchObject({ kind: 'folder' });
  });
});
