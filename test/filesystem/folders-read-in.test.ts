/** What is remembered of the order in which programs read is little, also after they have read in ever more folders. */
import { queryObjects } from 'node:v8';
import { expect, it } from 'vitest';
import { SiblingRuns } from '../../src/filesystem/read/sibling-runs.ts';
import { openForTest, readFile } from '../support/open-for-test.ts';

/** More than take as much memory as is meant for them. */
const FOLDERS = 3500;

it('the order of the files in a folder is forgotten when programs have read in thousands of others', async () => {
  const { fs, foreignWrite } = await openForTest();
  for (let folder = 0; folder < FOLDERS; folder += 1) await foreignWrite(`F${folder}/a`, 'x');

  for (let folder = 0; folder < FOLDERS; folder += 1) {
    for await (const entries of fs.readDirectory(`/F${folder}`)) expect(entries).toHaveLength(1);
    await readFile(fs, `/F${folder}/a`);
  }

  expect(queryObjects(SiblingRuns)).toBeLessThan(FOLDERS - 100);
});
