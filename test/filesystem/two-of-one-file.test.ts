/**
 * SEMANTICS: a close has promised a file, and the close of what was written since failed, since the local disk did not take it: each of
 * the two has its own end.
 */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { refuseCommitLater, refuseCommits } from '../support/journal-commits.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, openToRead, setXattr, writeAt, xattr } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** `status`: what the service says of the newer bytes, which are to be of this type. */
async function withTwoOfOneFile(
  status: number,
  type?: string,
): Promise<{ scene: FileSystemForTest; newer: string; promised: string }> {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, faults, mounted } = scene;
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  await writeFile(fs, '/n', 'promised');
  const [{ id: promised } = { id: '' }] = await mounted.unsent.list();
  faults.clear();
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status } });
  const takeThemAgain = refuseCommits('put draft/');
  const handle = await openToEdit(fs, '/n');
  await writeAt(fs, handle, 'newer!!!');
  if (type !== undefined) await setXattr(fs, '/n', 'user.mime_type', type);
  const [newer] = (await mounted.unsent.list()).map(({ id }) => id).filter((id) => id !== promised);
  expect(await errnoOfCall(fs.flush(handle))).not.toBe('none');
  takeThemAgain();
  await fs.release(handle);
  return { scene, newer: newer ?? '', promised };
}

it('to discard the newer bytes leaves what the close has promised [uploads/discard]', async () => {
  const { scene, newer, promised } = await withTwoOfOneFile(503);

  await scene.mounted.unsent.discard([newer]);

  expect((await scene.mounted.unsent.list()).map(({ id }) => id)).toEqual([promised]);
  scene.faults.clear();
  await drained(scene.mounted);
  expect(await textsOf(scene)).toEqual({ n: 'promised' });
  expect(await scene.mounted.unsent.list()).toEqual([]);
});

it('to discard what the close has promised leaves the newer bytes [uploads/discard]', async () => {
  const { scene, newer, promised } = await withTwoOfOneFile(503);

  await scene.mounted.unsent.discard([promised]);

  expect((await scene.mounted.unsent.list()).map(({ id }) => id)).toEqual([newer]);
  scene.faults.clear();
  await scene.mounted.unsent.retry([newer]);
  expect(await textsOf(scene)).toEqual({ n: 'newer!!!' });
});

it('newer bytes that the service refuses for good are set aside, and what the close has promised is stored', async () => {
  const { scene, newer } = await withTwoOfOneFile(413);

  scene.faults.clear();
  await drained(scene.mounted);

  expect(await textsOf(scene)).toEqual({ n: 'promised' });
  expect(await scene.mounted.unsent.list()).toMatchObject([{ id: newer, state: 'set aside' }]);
});

it('newer bytes that were set aside are of the type that was set when they are tried again [uploads/retry]', async () => {
  const { scene, newer } = await withTwoOfOneFile(413, 'text/x-newer');
  const { mounted, faults, direct, bucket } = scene;
  faults.clear();
  await drained(mounted);

  const [outcome] = await mounted.unsent.retry([newer]);

  const { contentType } = await direct.headObject(bucket, outcome?.storedAs?.slice(1) ?? '');
  expect(contentType).toBe('text/x-newer');
});

/** /n is promised; newer bytes of it, which the service does not take, are in nobody's journal, and still open. */
async function withNewerThatIsRefused() {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, faults } = scene;
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  await writeFile(fs, '/n', 'promised');
  faults.clear();
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
  const takeThemAgain = refuseCommits('put draft/');
  const handle = await openToEdit(fs, '/n');
  await writeAt(fs, handle, 'newer!!!');
  expect(await errnoOfCall(fs.flush(handle))).toBe('EFBIG');
  return { scene, handle, takeThemAgain };
}

it('newer bytes that cannot be set aside either stay in the list [uploads/retry]', async () => {
  const { scene, handle, takeThemAgain } = await withNewerThatIsRefused();
  const { fs, faults, mounted } = scene;
  await fs.release(handle);
  takeThemAgain();

  expect((await mounted.unsent.list()).map(({ bytes }) => bytes)).toEqual([8, 8]);

  faults.clear();
  await mounted.unsent.retry(null);
  expect(await textsOf(scene)).toEqual({ n: 'newer!!!' });
});

it('newer bytes that cannot be set aside are not taken for what a program writes meanwhile', async () => {
  const { scene, handle, takeThemAgain } = await withNewerThatIsRefused();
  const { fs, faults, mounted } = scene;
  takeThemAgain();
  const record = refuseCommitLater('"set aside"');
  const released = fs.release(handle);
  await record.begun;

  const writer = await openToEdit(fs, '/n');
  await writeAt(fs, writer, 'last');
  record.letGo();
  await released;

  faults.clear();
  await fs.flush(writer);
  await fs.release(writer);
  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ n: 'lastised' });
  expect(await mounted.unsent.list()).toMatchObject([{ state: 'set aside', bytes: 8 }]);
});

it('to discard the newer bytes leaves in sight why what the close has promised was not stored [uploads/discard]', async () => {
  const { scene, newer } = await withTwoOfOneFile(503);
  const { fs, mounted, clock } = scene;
  const attempts = async (): Promise<number | undefined> =>
    (await mounted.unsent.list()).find(({ id }) => id !== newer)?.attempts;
  const before = (await attempts()) ?? 0;
  clock.advance(600_000);
  await expect.poll(attempts).toBeGreaterThan(before);

  await mounted.unsent.discard([newer]);

  expect(await xattr(fs, '/n', 'user.pailfs.state')).toBe('failed');
  expect(await xattr(fs, '/n', 'user.pailfs.error')).not.toBe('');
});

it('to discard the newer bytes has what the close has promised sent again, also where it was refused [uploads/discard]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, faults, mounted, clock } = scene;
  const refuse = (status: number): void => {
    faults.clear();
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status } });
  };
  refuse(413);
  await writeFile(fs, '/n', 'promised');
  const reader = await openToRead(fs, '/n');
  clock.advance(200);
  await expect.poll(() => xattr(fs, '/n', 'user.pailfs.state')).toBe('failed');
  const [{ id: promised } = { id: '' }] = await mounted.unsent.list();
  refuse(503);
  const takeThemAgain = refuseCommits('put draft/');
  const writer = await openToEdit(fs, '/n');
  await writeAt(fs, writer, 'newer!!!');
  expect(await errnoOfCall(fs.flush(writer))).toBe('EIO');
  takeThemAgain();
  for (const handle of [writer, reader]) await fs.release(handle);
  const newer = (await mounted.unsent.list()).map(({ id }) => id).filter((id) => id !== promised);
  faults.clear();

  await mounted.unsent.discard(newer);

  await expect.poll(() => textsOf(scene)).toEqual({ n: 'promised' });
  expect(await mounted.unsent.list()).toEqual([]);
});

it('to discard what goes up leaves what another close promises meanwhile [uploads/discard]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, mounted, clock } = scene;
  const upload = holdNext(scene.service, 'putObject');
  await writeFile(fs, '/n', 'promised');
  clock.advance(200);
  await upload.begun;
  const [first] = await mounted.unsent.list();
  const discarded = mounted.unsent.discard([first?.id ?? '']);
  await writeFile(fs, '/n', 'newer');
  upload.letGo();

  expect(await discarded).toMatchObject([{ isDone: false }]);

  expect((await readFile(fs, '/n')).toString()).toBe('newer');
  await drained(mounted);
  expect(await textsOf(scene)).toEqual({ n: 'newer' });
});

it('to discard a deletion that was refused leaves a later one of the name [uploads/discard]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, mounted, clock, faults } = scene;
  const deleting = { operation: 'deleteObject', key: 'n' } as const;
  await scene.foreignWrite('n', 'old');
  await names(fs, '/');
  clock.advance(2000);
  faults.add({ ...deleting, fault: { kind: 'status', status: 403 } });
  await fs.unlink('/n');
  await expect
    .poll(async () => (await mounted.unsent.list()).map(({ state }) => state))
    .toEqual(['set aside']);
  const [refused] = await mounted.unsent.list();
  clock.advance(11_000);
  faults.add({ ...deleting, times: Infinity, fault: { kind: 'status', status: 503 } });
  await names(fs, '/');
  await fs.unlink('/n');

  expect(await mounted.unsent.discard([refused?.id ?? ''])).toMatchObject([{ isDone: true }]);

  expect((await mounted.unsent.list()).map(({ kind, id }) => [kind, id === refused?.id])).toEqual([
    ['delete', false],
  ]);
  faults.clear();
  await drained(mounted);
  expect(await textsOf(scene)).toEqual({});
});

it('what a close has promised, and the service refuses, stays in the list beside newer bytes though it cannot be set aside [uploads/list]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, faults, mounted, clock } = scene;
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  await writeFile(fs, '/n', 'promised');
  const handle = await openToEdit(fs, '/n');
  await writeAt(fs, handle, 'newer');
  const takeThemAgain = refuseCommits('put draft/');
  faults.clear();
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });

  clock.advance(60_000);

  await expect
    .poll(async () => (await mounted.unsent.list()).map(({ isWhole, state }) => isWhole && state).sort())
    .toEqual([false, 'set aside']);
  takeThemAgain();
  faults.clear();
  const promised = (await mounted.unsent.list()).find(({ state }) => state === 'set aside');
  const [outcome] = await mounted.unsent.retry([promised?.id ?? '']);
  expect((await textsOf(scene))[outcome?.storedAs?.slice(1) ?? '']).toBe('promised');
});
