/** What happens to bytes that are on their way when the mount ends? */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { draftText } from '../support/draft-bytes.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { heldRequests } from '../support/held-requests.ts';
import { holdNext } from '../support/hold-next.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';
import { signal } from '../support/signal.ts';
import { textOf } from '../support/stored-state.ts';

/** Milliseconds for each of the 16 pieces, and without any: the whole takes longer than the patience, no piece does. */
const PIECE = 300;
const PATIENCE = 4000;

it('an upload that moves is waited for, however long it takes [write/unmount]', async () => {
  const { fs, mounted, service, stored, foreignWrite } = await openForTest();
  const putObject = service.putObject.bind(service);
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  service.putObject = (bucket, key, body, options) => {
    begin();
    return putObject(bucket, key, { ...body, open: () => slowly(body.open()) }, options);
  };
  const content = patternedBytes(8 * 1024 * 1024);
  await foreignWrite('f', 'old');
  const handle = await openToRewrite(fs, '/f');
  await fs.write(handle, content, 0);
  const closing = fs.flush(handle);
  await begun;

  const unsent = await mounted.close({ patience: PATIENCE });
  await closing;

  expect(unsent).toEqual([]);
  expect(Buffer.compare(await stored('f'), content)).toBe(0);
});

it('whoever ends it early is told at once what stays here [write/unmount]', async () => {
  const { fs, mounted, service } = await openForTest();
  const upload = holdNext(service, 'putObject');
  const handle = await openToRewrite(fs, '/f');
  await fs.write(handle, Buffer.from('kept'), 0);
  const closing = fs.flush(handle);
  await upload.begun;

  const unsent = await mounted.close({ patience: 3_600_000, giveUp: AbortSignal.timeout(10) });

  expect(unsent).toMatchObject([{ path: '/f', reason: 'there was no time left' }]);
  upload.letGo();
  await closing;
});

describe.each([true, false])('what a program is still writing, with write-back: %s', (writeBack) => {
  const settings = { writeBack };

  it('does not replace the whole file, and is set aside for a person [write/unmount] [crash/half]', async () => {
    const scene = await openForTest({ settings });
    await scene.foreignWrite('f', 'the whole file');
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'half');

    const unsent = await scene.mounted.close({ patience: 60_000 });

    expect(unsent).toMatchObject([{ path: '/f', bytes: 4, reason: 'a program was still writing it' }]);
    expect(await textOf(scene, 'f')).toBe('the whole file');
    const { setAside } = await mountOver({ directory: scene.stateDirectory }, scene, { settings });
    expect(setAside).toMatchObject([{ key: 'f', file: unsent[0]?.file }]);
    expect(await draftText(setAside[0]?.file ?? '')).toBe('half');
  });

  it('is stored where it takes nothing away: a new file, an edit in place, and what goes on after fsync', async () => {
    const scene = await openForTest({ settings });
    await scene.foreignWrite('edited', 'the whole file');
    await scene.foreignWrite('synced', 'the whole file');
    const made = await scene.fs.create('/made', {
      read: true,
      write: true,
      truncate: false,
      exclusive: true,
      mode: 0o644,
    });
    const edited = await scene.fs.open('/edited', { read: true, write: true, truncate: false });
    const synced = await openToRewrite(scene.fs, '/synced');
    await writeAt(scene.fs, synced, 'a line');
    await scene.fs.fsync(synced);
    for (const handle of [made, edited]) await writeAt(scene.fs, handle, 'THE');
    await scene.fs.write(synced, Buffer.from(', and more'), 6);

    expect(await scene.mounted.close({ patience: 60_000 })).toEqual([]);

    expect(await textOf(scene, 'made')).toBe('THE');
    expect(await textOf(scene, 'edited')).toBe('THE whole file');
    expect(await textOf(scene, 'synced')).toBe('a line, and more');
  });

  it('is tried again when its close has failed, and nothing was written since', async () => {
    const scene = await openForTest({ settings });
    scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'whole');
    await expect(scene.fs.fsync(handle)).rejects.toMatchObject({ code: 'EDQUOT' });

    expect(await scene.mounted.close({ patience: 60_000 })).toEqual([]);

    expect(await textOf(scene, 'f')).toBe('whole');
  });
});

it('what a close has promised is stored though a program has begun to write something else [write-back/unmount]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  await writeFile(scene.fs, '/f', 'promised');
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'half');

  expect(await scene.mounted.close({ patience: 60_000 })).toMatchObject([{ path: '/f', bytes: 4 }]);

  expect(await textOf(scene, 'f')).toBe('promised');
});

async function* slowly(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    await delay(PIECE);
    yield piece;
  }
}

it('what is not stored is told though the local copy of what is stored cannot be deleted [write/unmount]', async () => {
  const localFiles = new FailingDisk();
  const { fs, mounted, store } = await openForTest({ localFiles });
  const handle = await openToRewrite(fs, '/stored');
  await writeAt(fs, handle, 'stored');
  await fs.flush(handle);
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/kept', 'kept').catch(() => undefined);
  localFiles.failures.set('remove', 'EROFS');

  const unsent = await mounted.close({ patience: 1000 });

  expect(unsent).toMatchObject([{ path: '/kept' }]);
  localFiles.failures.clear();
});

it('what is not stored is called lost when somebody has deleted its bytes [write/unmount]', async () => {
  const { fs, mounted, store, stateDirectory } = await openForTest();
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/f', 'bytes').catch(() => undefined);
  await rm(stateDirectory, { recursive: true });

  const unsent = await mounted.close({ patience: 1000 });

  expect(unsent).toMatchObject([
    { path: '/f', file: '', reason: expect.stringContaining('lost: ') as string },
  ]);
});

it('a deletion that was refused after its program had ended is told, by the mount that it was asked of [write/unmount]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  await scene.foreignWrite('f', 'stays');
  scene.faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 403 } });
  await scene.fs.unlink('/f');
  await expect.poll(() => scene.mounted.unsent.list()).toMatchObject([{ state: 'set aside' }]);

  const unsent = await scene.mounted.close({ patience: 1000 });
  const next = await mountOver(await diskNow(scene), scene, { settings: { writeBack: true } });
  const unsentOfNext = await next.close({ patience: 1000 });

  expect(unsent).toMatchObject([{ path: '/f', file: '', reason: 'not deleted: a fault that was asked for' }]);
  expect(unsentOfNext).toEqual([]);
});

it('what a program begins to write anew just then takes the place of nothing that its file has promised [write/unmount] [crash/half]', async () => {
  const settings = { writeBack: true };
  const disk = new FailingDisk();
  const upload = heldRequests('putObject');
  const scene = await openForTest({ settings, localFiles: disk, between: upload.between });
  await writeFile(scene.fs, '/f', 'promised');
  const [begun, goOn] = [signal(), signal()];
  disk.beforeWrite = () => {
    begun.give();
    return goOn.given;
  };
  const opening = openToRewrite(scene.fs, '/f');
  await begun.given;

  const closing = scene.mounted.close({ patience: 60_000, giveUp: AbortSignal.abort() });
  await delay(20);
  goOn.give();
  await opening;
  expect(await closing).toMatchObject([{ path: '/f' }]);

  const next = await mountOver({ directory: scene.stateDirectory }, scene, { settings });
  expect((await readFile(next.operations, '/f')).toString()).toBe('promised');
  upload.letGo();
});
