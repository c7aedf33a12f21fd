/** SEMANTICS: a person asks for what was set aside, or waits, where the name leads to something else by now. */
import { expect, it } from 'vitest';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openToEdit, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** What a program has written to `path` is refused for good. Returns the identifier of what is set aside. */
async function setAside(scene: FileSystemForTest, path: string, text: string): Promise<string> {
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });
  await expect(writeFile(scene.fs, path, text)).rejects.toMatchObject({ code: 'EACCES' });
  const [change] = await scene.mounted.unsent.list();
  return change?.id ?? '';
}

it('a file that a program has open to write stays its own: what was set aside is stored beside [uploads/retry]', async () => {
  const scene = await openForTest();
  await writeFile(scene.fs, '/f', 'before');
  const id = await setAside(scene, '/f', 'refused');
  const handle = await openToEdit(scene.fs, '/f');

  const [outcome] = await scene.mounted.unsent.retry([id]);
  await writeAt(scene.fs, handle, 'B');
  await scene.fs.release(handle);

  expect(outcome).toMatchObject({ isDone: true, storedAs: expect.stringContaining('/f') as string });
  expect((await readFile(scene.fs, '/f')).toString()).toBe('Before');
  expect(Object.values(await textsOf(scene)).sort()).toEqual(['Before', 'refused']);
});

it('a folder stays: what was set aside is stored beside it, and not where nobody sees it [uploads/retry]', async () => {
  const scene = await openForTest();
  const id = await setAside(scene, '/f', 'refused');
  await scene.fs.mkdir('/f', 0o755);

  const [outcome] = await scene.mounted.unsent.retry([id]);

  const beside = (await names(scene.fs, '/')).filter((name) => name !== 'f');
  expect(outcome).toMatchObject({ isDone: true, storedAs: `/${beside[0] ?? ''}` });
  expect((await readFile(scene.fs, `/${beside[0] ?? ''}`)).toString()).toBe('refused');
});

it('a file stays in the place of its folder: what was set aside is not stored below that [uploads/retry]', async () => {
  const scene = await openForTest();
  await scene.fs.mkdir('/a', 0o755);
  const id = await setAside(scene, '/a/b', 'refused');
  await scene.fs.rmdir('/a');
  await writeFile(scene.fs, '/a', 'a file');

  const outcomes = await scene.mounted.unsent.retry([id]);

  expect(outcomes).toMatchObject([{ isDone: false, reason: expect.stringContaining('a file') as string }]);
  expect(await textsOf(scene)).toEqual({ a: 'a file' });
});
