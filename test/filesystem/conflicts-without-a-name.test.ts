/**
 * SEMANTICS: somebody else has replaced a file while it was edited here, and nobody can tell which name is free for the edit. It waits; and
 * what a program is writing meanwhile is half a file, which is neither stored nor counts as closed.
 */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, type FileSystemForTest, type TestOptions } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { signal } from '../support/signal.ts';
import { textsOf } from '../support/stored-state.ts';

const settings = { writeBack: true };

async function withFile(options: TestOptions): Promise<FileSystemForTest> {
  const scene = await openForTest(options);
  await scene.foreignWrite('f', 'oldoldold');
  await names(scene.fs, '/');
  return scene;
}

/** From now on an edit that is stored meets their file, and no listing says what names there are. */
async function replacedUnseen({ foreignWrite, clock, faults }: FileSystemForTest): Promise<void> {
  await foreignWrite('f', 'theirs');
  clock.advance(60_000);
  faults.add({ operation: 'listObjects', times: Infinity, fault: { kind: 'reset' } });
}

/** An edit was closed, which met their file, and a program is writing the file anew. */
async function withHalf(): Promise<FileSystemForTest> {
  const scene = await withFile({ settings });
  await edit(scene.fs, '/f', 'A', 0);
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'ha');
  await replacedUnseen(scene);
  await expect(drained(scene.mounted)).rejects.toThrow();
  return scene;
}

it('what is being written anew is not stored when a person asks for all to be stored [conflict/keep-both] [uploads/half]', async () => {
  const scene = await withHalf();
  scene.faults.clear();

  await scene.mounted.unsent.retry((await scene.mounted.unsent.list()).map(({ id }) => id));
  await drained(scene.mounted);

  const texts = Object.values(await textsOf(scene));
  expect(texts.sort()).toEqual(['Aldoldold', 'theirs']);
});

it('what was being written anew is set aside by the next mount after a kill [conflict/keep-both] [crash/half]', async () => {
  const scene = await withHalf();
  const disk = await diskNow(scene);
  scene.faults.clear();

  const next = await mountOver(disk, scene, { settings });

  await expect.poll(async () => Object.values(await textsOf(scene)).sort()).toEqual(['Aldoldold', 'theirs']);
  await expect
    .poll(() => next.unsent.list())
    .toMatchObject([{ path: '/f', state: 'set aside', bytes: 2, isWhole: false }]);
});

it('what another descriptor writes while that is recorded is no part of what was closed [conflict/keep-both] [crash/half]', async () => {
  const disk = new FailingDisk();
  const scene = await withFile({ localFiles: disk });
  const { fs, faults } = scene;
  const [one, two] = [await openToEdit(fs, '/f'), await openToEdit(fs, '/f')];
  await writeAt(fs, one, 'A');
  await replacedUnseen(scene);
  const [synced, goOn] = [signal(), signal()];
  disk.afterSync = () => {
    disk.afterSync = () => Promise.resolve();
    synced.give();
    return goOn.given;
  };
  const flushed = errnoOfCall(fs.flush(one));
  await synced.given;
  const written = writeAt(fs, two, 'HALF', 4);
  await new Promise((resolve) => setTimeout(resolve, 100));
  goOn.give();
  expect(await flushed).not.toBe('none');
  await written;
  faults.clear();

  const next = await mountOver(await diskNow(scene), scene);
  await drained(next);

  expect(Object.values(await textsOf(scene)).join()).not.toContain('HALF');
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
});

it('what is written anew while a name is looked for is no part of what was closed, without write-back [conflict/keep-both] [crash/half]', async () => {
  const scene = await withFile({});
  const { fs, service, faults } = scene;
  const one = await openToEdit(fs, '/f');
  await writeAt(fs, one, 'A');
  await replacedUnseen(scene);
  const look = holdNext(service, 'listObjects');
  const flushed = errnoOfCall(fs.flush(one));
  await look.begun;
  const two = await openToRewrite(fs, '/f');
  await writeAt(fs, two, 'ha');
  look.letGo();
  expect(await flushed).not.toBe('none');
  const disk = await diskNow(scene);
  faults.clear();

  const next = await mountOver(disk, scene);
  await drained(next);

  expect(await textsOf(scene)).toEqual({ f: 'theirs' });
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
});
