/** SEMANTICS: a person discards what just goes up, and a program has the file open. */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf, textsOf } from '../support/stored-state.ts';
import { stickUploads, type StuckUploads } from '../support/stuck-uploads.ts';

/** Several pieces of an upload. */
const LARGE = 'x'.repeat(400_000);
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

/** What `change` says, which does not wait until stuck uploads end. */
async function soon<Result>({ clock }: FileSystemForTest, change: Promise<Result>): Promise<Result> {
  let isOver = false;
  void change.finally(() => (isOver = true));
  await expect
    .poll(() => {
      clock.advance(1000);
      return isOver;
    })
    .toBe(true);
  return change;
}

it('goes up anew when it was stopped, but a program has opened it by then [uploads/discard]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const uploads = stickUploads(scene.service, 'midway');
  await writeFile(scene.fs, '/f', LARGE);
  await expect
    .poll(() => {
      scene.clock.advance(100);
      return [...uploads.stuck];
    })
    .toEqual(['f']);
  const [change] = await scene.mounted.unsent.list();

  const discarded = scene.mounted.unsent.discard([change?.id ?? '']);
  for (let looks = 0; looks < 10; looks += 1) await scene.mounted.unsent.list();
  const handle = await openToEdit(scene.fs, '/f');
  const outcomes = await soon(scene, discarded);
  await scene.fs.release(handle);
  uploads.letGo();
  await drained(scene.mounted);

  expect(outcomes).toMatchObject(OPEN);
  expect(await textOf(scene, 'f')).toBe(LARGE);
});

interface Scene extends FileSystemForTest {
  readonly uploads: StuckUploads;
  /** Of the change that goes up. */
  readonly id: string;
  /** Resolves when the program's close and what follows it are over. */
  readonly closed: Promise<unknown>;
}

/** `f`, which others had stored, was written anew and goes up; its program is gone as if it had been killed, which waits for nothing. */
async function killed(writeBack: boolean, when: 'midway' | 'at the end'): Promise<Scene> {
  const scene = await openForTest({ settings: { writeBack } });
  await scene.foreignWrite('f', 'old');
  const uploads = stickUploads(scene.service, when);
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, LARGE);
  const closed = Promise.all([scene.fs.flush(handle), scene.fs.release(handle)]);
  await expect
    .poll(() => {
      scene.clock.advance(writeBack ? 100 : 0);
      return [...uploads.stuck];
    })
    .toEqual(['f']);
  const [change] = await scene.mounted.unsent.list();
  return { ...scene, uploads, id: change?.id ?? '', closed };
}

describe.each([{ writeBack: true }, { writeBack: false }])('with write-back $writeBack', ({ writeBack }) => {
  it('what nobody has open any more is stopped, and gone [uploads/discard]', async () => {
    const scene = await killed(writeBack, 'midway');

    const outcomes = await soon(scene, scene.mounted.unsent.discard([scene.id]));

    expect(outcomes).toMatchObject([{ isDone: true }]);
    await scene.closed;
    scene.uploads.letGo();
    await drained(scene.mounted);
    expect(await textsOf(scene)).toEqual({ f: 'old' });
    expect(await scene.mounted.unsent.list()).toEqual([]);
    expect((await readFile(scene.fs, '/f')).toString()).toBe('old');
  });

  it('it is stored where all of its bytes have left [uploads/discard]', async () => {
    const scene = await killed(writeBack, 'at the end');

    const discarded = scene.mounted.unsent.discard([scene.id]);
    scene.uploads.letGo();

    expect(await discarded).toMatchObject([
      { isDone: false, reason: expect.stringContaining('stored by now') as string },
    ]);
    await scene.closed;
    expect(await textsOf(scene)).toEqual({ f: LARGE });
  });
});
