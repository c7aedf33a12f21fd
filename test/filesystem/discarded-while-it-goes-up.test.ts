/** SEMANTICS: a person discards what just goes up, and a program has the file open. */
import { expect, it } from 'vitest';
import { holdNext } from '../support/hold-next.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

const OPEN = [{ isDone: false, reason: expect.stringContaining('a program has the file open') as string }];

it('is told so at once, and not when the upload has ended [uploads/discard]', async () => {
  const scene = await openForTest();
  const upload = holdNext(scene.service, 'putObject');
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'mine');
  const synced = scene.fs.fsync(handle);
  await upload.begun;
  const [change] = await scene.mounted.unsent.list();

  const outcomes = await scene.mounted.unsent.discard([change?.id ?? '']);

  expect(change).toMatchObject({ state: 'uploading' });
  expect(outcomes).toMatchObject(OPEN);
  upload.letGo();
  await synced;
  await scene.fs.release(handle);
  expect(await textOf(scene, 'f')).toBe('mine');
});

it('is told so, too, when the program opens it while the upload is waited for [uploads/discard]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const upload = holdNext(scene.service, 'putObject');
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
  await writeFile(scene.fs, '/f', 'mine');
  scene.clock.advance(1000);
  await upload.begun;
  const [change] = await scene.mounted.unsent.list();

  const discarded = scene.mounted.unsent.discard([change?.id ?? '']);
  // Until it waits.
  for (let looks = 0; looks < 10; looks += 1) await scene.mounted.unsent.list();
  const handle = await openToEdit(scene.fs, '/f');
  upload.letGo();
  const outcomes = await discarded;
  await scene.fs.release(handle);
  await scene.mounted.unsent.retry(null);

  expect(outcomes).toMatchObject(OPEN);
  expect(await textOf(scene, 'f')).toBe('mine');
});
