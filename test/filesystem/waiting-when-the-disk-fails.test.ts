/** SEMANTICS: what waits for the service is there whatever the local disk says to what comes later. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { denyCommit, refuseCommits } from '../support/journal-commits.ts';
import { closing, names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, LogForTest, openToRead, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

/** More than an upload waits at first, milliseconds. */
const MOMENT = 200;
/** As long as it waits at most. */
const LONG = 60_000;
/** An answer of the disk about its room is good for less. */
const LOOK_AGE = 2000;

describe('when the disk does not take the note that an upload has failed (--write-back)', () => {
  it('the bytes, which it has, are stored once the service is back [write-back/retried]', async () => {
    const localFiles = new FailingDisk();
    const log = new LogForTest();
    const scene = await openForTest({ settings: { writeBack: true }, localFiles, log });
    await writeFile(scene.fs, '/f', 'promised');
    scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 } });
    localFiles.failures.set('sync', 'EIO');
    scene.clock.advance(MOMENT);
    await expect.poll(() => log.lines.length).toBeGreaterThan(1);
    localFiles.failures.clear();

    scene.clock.advance(LONG);

    await expect.poll(() => textOf(scene, 'f').catch(() => null)).toBe('promised');
  });

  it('they are set aside where it was refused for good [write-back/refused]', async () => {
    const localFiles = new FailingDisk();
    const scene = await openForTest({ settings: { writeBack: true }, localFiles });
    await writeFile(scene.fs, '/f', 'promised');
    const reader = await openToRead(scene.fs, '/f');
    scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
    localFiles.failures.set('sync', 'EIO');
    scene.clock.advance(MOMENT);
    await expect
      .poll(async () => (await scene.mounted.unsent.list()).map(({ state }) => state))
      .not.toContainEqual(expect.stringMatching(/queued|uploading/));
    localFiles.failures.clear();

    await scene.fs.release(reader);

    expect((await scene.mounted.unsent.list()).map(({ path, state }) => ({ path, state }))).toEqual([
      { path: '/f', state: 'set aside' },
    ]);
  });
});

describe('when the disk does not take the note that nobody wants a promised file any more (--write-back)', () => {
  it.each(['removed', 'replaced', 'removed while a program has it open'])(
    '%s, it gives its room back once the disk takes notes again',
    async (how) => {
      const scene = await openForTest({ settings: { writeBack: true } });
      const { fs, mounted, stateDirectory } = scene;
      await writeFile(fs, '/f', 'promised');
      await writeFile(fs, '/other', 'other');
      const handle = how.includes('open') ? await openToRead(fs, '/f') : null;
      const accept = refuseCommits('draft');
      await (how === 'replaced' ? fs.rename('/other', '/f', false) : fs.unlink('/f'));
      accept();
      if (handle !== null) await fs.release(handle);

      await drained(mounted);
      await mounted.close({ patience: 1000 });

      expect(await readdir(join(stateDirectory, 'drafts'))).toEqual([]);
    },
  );
});

describe('while the service is away, and a write finds the disk full', () => {
  it('what waited in the same file is set aside, and can be stored [write/passing-fault]', async () => {
    const localFiles = new FailingDisk();
    const scene = await openForTest({ localFiles });
    const { fs, clock, faults, mounted } = scene;
    await names(fs, '/');
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    const append = (line: string): Promise<string> => errnoOfCall(appendTo(fs, '/log', line));
    expect([await append('one\n'), await append('two\n')]).toEqual(['EIO', 'EIO']);
    localFiles.told = { free: 0, total: 1000 };
    clock.advance(LOOK_AGE);

    expect(await append('three\n')).toBe('ENOSPC');
    localFiles.told = { free: Infinity, total: 0 };
    faults.clear();

    const [left] = await mounted.unsent.list();
    expect(left).toMatchObject({ path: '/log', state: 'set aside' });
    expect(await mounted.unsent.retry([left?.id ?? ''])).toMatchObject([{ isDone: true }]);
    expect(await textOf(scene, 'log')).toBe('one\ntwo\n');
    expect((await readFile(fs, '/log')).toString()).toBe('one\ntwo\n');
  });

  it('the kernel is told that the file at its name is another from then on', async () => {
    const localFiles = new FailingDisk();
    const scene = await openForTest({ localFiles });
    const { fs, clock, faults } = scene;
    await scene.foreignWrite('log', 'old\n');
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    expect(await errnoOfCall(appendTo(fs, '/log', 'one\n'))).toBe('EIO');
    const { identity } = await fs.getAttributes('/log');
    localFiles.told = { free: 0, total: 1000 };
    clock.advance(LOOK_AGE);

    expect(await errnoOfCall(appendTo(fs, '/log', 'two\n'))).toBe('ENOSPC');

    expect((await readFile(fs, '/log')).toString()).toBe('old\n');
    expect((await fs.getAttributes('/log')).identity).not.toBe(identity);
  });
});

async function appendTo(fs: Parameters<typeof writeFile>[0], path: string, text: string): Promise<void> {
  const handle = await fs.create(path, {
    read: true,
    write: true,
    truncate: false,
    exclusive: false,
    mode: 0o644,
  });
  const { size } = await fs.getAttributes(path, handle);
  await closing(fs, handle, () => writeAt(fs, handle, text, size));
}

describe('when the disk says that it has not taken a record that it has (--write-back)', () => {
  it('a file whose unlink has failed stays, also for the next mount [crash/promised]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await writeFile(scene.fs, '/f', 'precious');
    await drained(scene.mounted);
    denyCommit('put deletion/');
    expect(await errnoOfCall(scene.fs.unlink('/f'))).toBe('EIO');
    await writeFile(scene.fs, '/g', 'other');
    await drained(scene.mounted);

    await drained(await mountOver(await diskNow(scene), scene, {}));

    expect(await textOf(scene, 'f')).toBe('precious');
  });

  it('what was stored at once instead is missed by nobody in the next mount [crash/promised]', async () => {
    const log = new LogForTest();
    const scene = await openForTest({ settings: { writeBack: true } });
    denyCommit('put draft/');
    await writeFile(scene.fs, '/f', 'bytes');
    expect(await textOf(scene, 'f')).toBe('bytes');
    await writeFile(scene.fs, '/g', 'other');
    await drained(scene.mounted);

    const next = await mountOver(await diskNow(scene), scene, { log });

    expect(await next.unsent.list()).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

it('what the disk does not take when the last descriptor goes is in the log, and shown as failed [write/last-close]', async () => {
  const localFiles = new FailingDisk();
  const log = new LogForTest();
  const scene = await openForTest({ settings: { writeBack: true }, localFiles, log });
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'mapped');
  localFiles.failures.set('sync', 'EIO');

  await scene.fs.release(handle);
  localFiles.failures.clear();

  expect(log.about('cut by an error of the local disk')).toMatchObject([{ level: 'error' }]);
  expect(await scene.mounted.unsent.list()).toMatchObject([{ path: '/f', state: 'failed', code: 'EIO' }]);
});

it('what could not be stored is at its path after a kill, also where the disk took the record of it only later [crash/unsent]', async () => {
  const scene = await openForTest();
  scene.faults.add({ operation: 'putObject', times: 2, fault: { kind: 'status', status: 503 } });
  const end = refuseCommits('put draft/');
  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'waits'))).toBe('EIO');
  end();
  expect(await errnoOfCall(writeFile(scene.fs, '/other', 'waits, too'))).toBe('EIO');

  const next = await mountOver(await diskNow(scene), scene, {});
  await drained(next);

  expect(await textOf(scene, 'f')).toBe('waits');
});
