import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeStoredDrafts } from '../../src/cli/stored-drafts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('drafts of files that are still open when the mount ends', () => {
  it('go when they were stored, and stay when they were changed after storing began', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'drafts'));
    const times = { before: 999, during: 1000, after: 1001 };
    for (const [name, seconds] of Object.entries(times)) {
      await writeFile(join(directory, 'drafts', name), name);
      await utimes(join(directory, 'drafts', name), seconds, seconds);
    }

    await removeStoredDrafts(directory, 1_000_000);

    expect((await readdir(join(directory, 'drafts'))).sort()).toEqual(['after', 'during']);
  });

  it('need not be there', async () => {
    await expect(removeStoredDrafts(await temporaryDirectory(), 0)).resolves.toBeUndefined();
  });
});
