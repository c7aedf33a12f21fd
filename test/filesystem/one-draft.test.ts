/** SEMANTICS: programs that begin to change a file at the same time change one draft, however close together they come. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openForTest } from '../support/open-for-test.ts';

/** Turns of the microtask queue; where the local disk is quick, the draft is in use long before so many have passed. */
const LATEST = 100;

it('lets a second writer come at any moment while a draft is made, and keeps no draft that is nobody’s', async () => {
  const { fs, mounted, foreignWrite, stored, stateDirectory } = await openForTest();
  const intent = { read: true, write: true, truncate: false };

  for (let turns = 0; turns < LATEST; turns += 1) {
    const key = `file-${turns}`;
    await foreignWrite(key, '');
    const [one, other] = [await fs.open(`/${key}`, intent), await fs.open(`/${key}`, intent)];
    const first = fs.write(one, Buffer.from('a'), 0);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    await Promise.all([first, fs.write(other, Buffer.from('b'), 1)]);
    await fs.release(one);
    await fs.release(other);
    expect((await stored(key)).toString()).toBe('ab');
  }

  expect(await mounted.close({ patience: 1000 })).toEqual([]);
  expect(await readdir(join(stateDirectory, 'drafts'))).toEqual([]);
});
