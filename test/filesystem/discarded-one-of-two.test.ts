/** SEMANTICS: a person discards one of two contents of a file, what a close has promised or what was written after it: nothing of it stays here. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

interface Both {
  readonly scene: FileSystemForTest;
  /** Identifiers. */
  readonly promised: string;
  readonly newest: string;
}

/** /f is promised; of what was closed after that the disk has taken no promise, and the service does not take it for now. */
async function promisedAndFailed(): Promise<Both> {
  const scene = await openForTest({ settings: { writeBack: true } });
  scene.store.changeAccount({ gracePeriod: true });
  await writeFile(scene.fs, '/f', 'promised');
  const [before] = await scene.mounted.unsent.list();
  const accept = refuseCommits('put draft');
  expect(await errnoOfCall(edit(scene.fs, '/f', 'P', 0))).toBe('EDQUOT');
  accept();
  const changes = await scene.mounted.unsent.list();
  const newest = changes.find(({ id }) => id !== before?.id);
  return { scene, promised: before?.id ?? '', newest: newest?.id ?? '' };
}

async function stored({ scene }: Both): Promise<Readonly<Record<string, string>>> {
  scene.store.changeAccount({ gracePeriod: false });
  await drained(scene.mounted);
  return textsOf(scene);
}

const draftsOf = ({ stateDirectory }: FileSystemForTest): Promise<string[]> =>
  readdir(join(stateDirectory, 'drafts'));

it('what was promised: what was written after it is stored', async () => {
  const both = await promisedAndFailed();
  const { scene, promised, newest } = both;

  expect(await scene.mounted.unsent.discard([promised])).toMatchObject([{ isDone: true }]);

  expect(await draftsOf(scene)).toEqual([newest]);
  expect(await stored(both)).toEqual({ f: 'Promised' });
});

it('what was written after it: what was promised is stored', async () => {
  const both = await promisedAndFailed();
  const { scene, promised, newest } = both;

  expect(await scene.mounted.unsent.discard([newest])).toMatchObject([{ isDone: true }]);

  expect(await draftsOf(scene)).toEqual([promised]);
  expect((await readFile(scene.fs, '/f')).toString()).toBe('promised');
  expect(await stored(both)).toEqual({ f: 'promised' });
});
