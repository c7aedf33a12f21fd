/** SEMANTICS `[names/exclusive]`: one of two creators succeeds, also when the other had time to store and close its file. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import { hasEnded } from '../support/held-disk.ts';
import { heldRequests } from '../support/held-requests.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';

it('refuses an exclusive creation of a name that another program created and closed meanwhile', async () => {
  let letGo = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isFirst = true;
  const create: typeof nodeLocalFiles.create = async (directory) => {
    if (isFirst) {
      isFirst = false;
      await left;
    }
    return nodeLocalFiles.create(directory);
  };
  const { fs, stored } = await openForTest({ localFiles: { ...nodeLocalFiles, create } });
  const intent = { read: false, write: true, truncate: false, exclusive: true, mode: 0o644 };
  const late = fs.create('/a', intent);
  await expect.poll(() => isFirst).toBe(false);

  await writeFile(fs, '/a', 'theirs');
  letGo();

  await expect(late).rejects.toMatchObject({ code: 'EEXIST' });
  expect((await stored('a')).toString()).toBe('theirs');
});

it.each([
  { exclusive: true, code: 'EEXIST' },
  { exclusive: false, code: 'EISDIR' },
])(
  'refuses the creation of a name that a folder was given meanwhile ($code)',
  async ({ exclusive, code }) => {
    const making = heldRequests('createFolder');
    const scene = await openForTest({ between: making.between });
    const { fs } = scene;
    const made = fs.mkdir('/a', 0o755);
    await making.begun;

    const created = fs.create('/a', { read: false, write: true, truncate: false, exclusive, mode: 0o644 });
    await hasEnded(created);
    making.letGo();

    await expect(created).rejects.toMatchObject({ code });
    await made;
    expect((await fs.getAttributes('/a')).kind).toBe('folder');
    expect(await readdir(join(scene.stateDirectory, 'drafts'))).toEqual([]);
  },
);
