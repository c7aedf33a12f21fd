/** SEMANTICS: the service refuses for good what waits, and the local disk does not take that it is set aside. */
import { expect, it } from 'vitest';
import { refuseCommits } from '../support/journal-commits.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

const MOST_OF_IT = 'x'.repeat(80_000);

/** /a, which is most of what there is room for, is refused; nobody sends it any more. */
async function refusedOnly(): Promise<FileSystemForTest & { readonly diskTakesIt: () => void }> {
  const scene = await openForTest({ settings: { writeBack: true, cache: 'disk', cacheSize: 100_000 } });
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
  const diskTakesIt = refuseCommits('set aside');
  await writeFile(scene.fs, '/a', MOST_OF_IT);
  scene.clock.advance(1000);
  const state = async (): Promise<string | undefined> => (await scene.mounted.unsent.list())[0]?.state;
  await expect.poll(state).toBe('failed');
  return { ...scene, diskTakesIt };
}

it('it is not sent again and again, and whoever asks for it has it stored [uploads/retry]', async () => {
  const scene = await refusedOnly();
  for (let times = 0; times < 10; times += 1) {
    scene.clock.advance(1000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const uploads = scene.asked().filter((asked) => asked.startsWith('putObject'));
  scene.diskTakesIt();
  scene.faults.clear();

  expect(uploads).toEqual(['putObject a']);
  expect(await scene.mounted.unsent.retry(null)).toMatchObject([{ path: '/a', isDone: true }]);
  expect(await textOf(scene, 'a')).toBe(MOST_OF_IT);
});

it('who writes waits for its room no longer than for what is stored [write/no-space]', async () => {
  const { fs, clock } = await refusedOnly();
  let outcome = 'waits';

  void errnoOfCall(writeFile(fs, '/b', MOST_OF_IT)).then((errno) => (outcome = errno));

  // For as long as the disk is slow.
  const later = (): string => {
    clock.advance(1000);
    return outcome;
  };
  await expect.poll(later).toBe('ENOSPC');
});

it('and the end of the mount tries it once more', async () => {
  const scene = await refusedOnly();
  scene.diskTakesIt();
  scene.faults.clear();

  expect(await scene.mounted.close({ patience: 1000 })).toEqual([]);
  expect(await textOf(scene, 'a')).toBe(MOST_OF_IT);
});
