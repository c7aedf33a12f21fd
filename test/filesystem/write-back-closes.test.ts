/** SEMANTICS: with write-back a close only promises; what programs see until the service has it, and when it does not take it. */
import { describe, expect, it } from 'vitest';
import type { FileSystemForTest, TestOptions } from '../support/open-for-test.ts';
import { drained } from '../support/drained.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import {
  LogForTest,
  edit,
  openToEdit,
  openToRewrite,
  setXattr,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';
import { holdNext } from '../support/hold-next.ts';

/** Longer than what is closed waits for its upload. */
const SOON = 200;

function writeBack(options: TestOptions = {}): Promise<FileSystemForTest> {
  return openForTest({ ...options, settings: { ...options.settings, writeBack: true } });
}

const stateOf = (scene: FileSystemForTest, path: string): Promise<string> =>
  xattr(scene.fs, path, 'user.pailfs.state');

describe('a file that was closed', () => {
  it('is shown with its bytes, size and mode before the service has heard of it [write-back/close]', async () => {
    const scene = await writeBack();
    await names(scene.fs, '/');
    scene.asked();

    await writeFile(scene.fs, '/f', 'queued');

    expect(scene.asked()).toEqual([]);
    expect((await readFile(scene.fs, '/f')).toString()).toBe('queued');
    expect(await scene.fs.getAttributes('/f')).toMatchObject({ size: 6, mode: 0o644 });
    expect(await names(scene.fs, '/')).toEqual(['f']);
    expect(await stateOf(scene, '/f')).toBe('dirty');
    expect(await textOf(scene, 'f')).toBe('(none)');
  });

  it('is stored in the background by one PUT, and is clean then [write-back/close]', async () => {
    const scene = await writeBack();
    await names(scene.fs, '/');
    await writeFile(scene.fs, '/f', 'queued');
    const { mtime } = await scene.fs.getAttributes('/f');
    scene.asked();

    scene.clock.advance(SOON);

    await expect.poll(() => stateOf(scene, '/f')).toBe('clean');
    expect(await textOf(scene, 'f')).toBe('queued');
    expect(scene.asked()).toEqual(['putObject f']);
    expect((await scene.fs.getAttributes('/f')).mtime).toBe(mtime);
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it('several times is stored once, as it was last [write-back/newest]', async () => {
    const scene = await writeBack();
    await names(scene.fs, '/');
    scene.asked();

    await writeFile(scene.fs, '/f', 'one');
    await writeFile(scene.fs, '/f', 'two');
    await edit(scene.fs, '/f', '!', 3);
    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('two!');
    expect(scene.asked()).toEqual(['putObject f']);
  });

  it('is failed and says why while its link cannot be restored [visibility/restore-fails]', async () => {
    const log = new LogForTest();
    const scene = await writeBack({ log });
    await writeFile(scene.fs, '/f', 'first');
    await drained(scene.mounted);
    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');
    scene.faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });

    await writeFile(scene.fs, '/f', 'second');
    scene.clock.advance(SOON);

    await expect.poll(() => stateOf(scene, '/f')).toBe('failed');
    expect(await textOf(scene, 'f')).toBe('second');
    expect(await xattr(scene.fs, '/f', 'user.pailfs.error')).not.toBe('');
    expect(log.about('not made public again')).toHaveLength(1);
  });

  it('is stored by fsync before that returns, which says what the service says [write-back/fsync]', async () => {
    const scene = await writeBack();
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'now');
    scene.store.changeAccount({ gracePeriod: true });

    await expect(scene.fs.fsync(handle)).rejects.toMatchObject({ code: 'EDQUOT' });
    await scene.fs.flush(handle);
    scene.store.changeAccount({ gracePeriod: false });
    await scene.fs.fsync(handle);

    expect(await textOf(scene, 'f')).toBe('now');
    await scene.fs.release(handle);
  });

  it('goes up while a program already writes it anew, and that is not part of it [write-back/newest]', async () => {
    const scene = await writeBack();
    await writeFile(scene.fs, '/f', 'closed');
    const handle = await openToEdit(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'HALF');

    scene.clock.advance(SOON);

    await expect.poll(() => textOf(scene, 'f')).toBe('closed');
    await scene.fs.flush(handle);
    await scene.fs.release(handle);
    await drained(scene.mounted);
    expect(await textOf(scene, 'f')).toBe('HALFed');
  });

  it('can be written anew while it goes up, without waiting [write-back/newest]', async () => {
    const scene = await writeBack();
    const { letGo } = holdNext(scene.service, 'putObject');
    await writeFile(scene.fs, '/f', 'first');
    scene.clock.advance(SOON);
    await expect.poll(() => stateOf(scene, '/f')).toBe('uploading');

    await writeFile(scene.fs, '/f', 'second');
    expect((await readFile(scene.fs, '/f')).toString()).toBe('second');
    letGo();
    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('second');
  });

  it('several times while it goes up keeps the local disk for what goes up and for the newest [write-back/newest]', async () => {
    const localFiles = new FailingDisk();
    const scene = await writeBack({ localFiles });
    const { letGo } = holdNext(scene.service, 'putObject');
    await writeFile(scene.fs, '/f', 'first');
    scene.clock.advance(SOON);
    await expect.poll(() => stateOf(scene, '/f')).toBe('uploading');

    for (const content of ['second', 'third', 'fourth']) await writeFile(scene.fs, '/f', content);
    expect(localFiles.left.size).toBe(2);
    letGo();
    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('fourth');
    expect(localFiles.left.size).toBe(0);
  });

  it('keeps type and visibility that were set before its upload', async () => {
    const scene = await writeBack();
    await writeFile(scene.fs, '/f', 'x');
    await setXattr(scene.fs, '/f', 'user.mime_type', 'text/x-set');
    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');

    await drained(scene.mounted);

    expect((await scene.direct.headObject(scene.bucket, 'f')).contentType).toBe('text/x-set');
    expect((await scene.direct.getVisibility(scene.bucket, 'f')).visibility).toBe('public');
  });

  it('and was emptied by a shell is stored with what the shell writes', async () => {
    const scene = await writeBack();
    await writeFile(scene.fs, '/f', 'old');
    const handle = await openToRewrite(scene.fs, '/f');
    await scene.fs.flush(handle);
    scene.clock.advance(SOON);
    await expect.poll(() => textOf(scene, 'f')).toBe('old');

    await writeAt(scene.fs, handle, 'new');
    await scene.fs.flush(handle);
    await scene.fs.release(handle);
    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('new');
  });
});

describe('while the service is away', () => {
  const away = { operation: 'putObject', times: Infinity, fault: { kind: 'reset' } } as const;

  it('closes go on, and what they promised is tried again until it is stored [write-back/retried]', async () => {
    const scene = await writeBack();
    scene.faults.add({ ...away, times: 5 });
    for (const name of ['a', 'b', 'c']) await writeFile(scene.fs, `/${name}`, `kept ${name}`);
    scene.clock.advance(SOON);
    await expect.poll(() => stateOf(scene, '/a')).toBe('failed');
    expect(await xattr(scene.fs, '/a', 'user.pailfs.error')).toContain('connection reset');

    const isStored = async (): Promise<string[]> => {
      scene.clock.advance(60_000);
      return Promise.all(['a', 'b', 'c'].map((name) => textOf(scene, name)));
    };
    await expect.poll(isStored).toEqual(['kept a', 'kept b', 'kept c']);
  });

  it('one request at a time asks whether it is back, after a delay that grows [write-back/retried]', async () => {
    const scene = await writeBack();
    scene.faults.add(away);
    for (let number = 0; number < 40; number += 1) await writeFile(scene.fs, `/f${number}`, 'x');
    scene.clock.advance(SOON);
    const puts = (): number => scene.requests.count('putObject');
    await expect.poll(puts).toBeGreaterThan(0);
    // Those that were begun together: one of them may be the last to ask.
    const together = Array.from({ length: 8 }, (_, number) => `/f${number}`);
    const states = async (): Promise<Set<string>> =>
      new Set(await Promise.all(together.map((path) => stateOf(scene, path))));
    await expect.poll(states).toEqual(new Set(['failed']));
    const first = puts();
    expect(first).toBeLessThanOrEqual(16);

    scene.clock.advance(400);
    await settled();
    expect(puts()).toBe(first);
    scene.clock.advance(2000);
    await expect.poll(puts).toBe(first + 1);
    await settled();

    expect(puts()).toBe(first + 1);
  });
});

describe('while uploads are paused (402)', () => {
  it('what was closed waits as failed, with the reason, and goes up when that is over [write-back/paused]', async () => {
    const scene = await writeBack();
    scene.store.changeAccount({ gracePeriod: true });
    await writeFile(scene.fs, '/f', 'kept');
    scene.clock.advance(SOON);
    await expect.poll(() => stateOf(scene, '/f')).toBe('failed');
    expect(await xattr(scene.fs, '/f', 'user.pailfs.error')).toContain('grace period');
    expect(await scene.mounted.unsent.list()).toMatchObject([
      { path: '/f', state: 'failed', code: 'EDQUOT' },
    ]);

    scene.store.changeAccount({ gracePeriod: false });
    scene.clock.advance(300_000);

    await expect.poll(() => textOf(scene, 'f')).toBe('kept');
  });
});

describe('what the service refuses for good after its close', () => {
  const refused = { operation: 'putObject', times: 1, fault: { kind: 'status', status: 403 } } as const;

  it('is set aside; the name shows the service’s file, its error, and tells it to the next fsync, once [write-back/refused]', async () => {
    const log = new LogForTest();
    const scene = await writeBack({ log });
    await scene.foreignWrite('f', 'old');
    await names(scene.fs, '/');
    scene.faults.add(refused);
    await writeFile(scene.fs, '/f', 'new');
    scene.clock.advance(SOON);
    await expect.poll(() => log.about('set aside').length).toBe(1);

    expect((await readFile(scene.fs, '/f')).toString()).toBe('old');
    expect(await stateOf(scene, '/f')).toBe('failed');
    expect(await xattr(scene.fs, '/f', 'user.pailfs.error')).toContain('a fault that was asked for');
    expect(await scene.mounted.unsent.list()).toMatchObject([
      { path: '/f', state: 'set aside', isWhole: true },
    ]);
    const handle = await openToEdit(scene.fs, '/f');
    await expect(scene.fs.fsync(handle)).rejects.toMatchObject({ code: 'EACCES' });
    await scene.fs.fsync(handle);
    await scene.fs.release(handle);
    expect(await stateOf(scene, '/f')).toBe('clean');
  });

  it('is told to the fsync of who has it open [write-back/refused]', async () => {
    const scene = await writeBack();
    scene.faults.add({ ...refused, times: 2 });
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'new');
    await scene.fs.flush(handle);
    scene.clock.advance(SOON);
    await expect.poll(() => stateOf(scene, '/f')).toBe('failed');

    await expect(scene.fs.fsync(handle)).rejects.toMatchObject({ code: 'EACCES' });
    await scene.fs.fsync(handle);

    expect(await textOf(scene, 'f')).toBe('new');
    await scene.fs.release(handle);
  });
});

describe('the end of the mount', () => {
  it('stores what waits [write-back/unmount]', async () => {
    const scene = await writeBack();
    for (let number = 0; number < 30; number += 1) await writeFile(scene.fs, `/f${number}`, `${number}`);

    expect(await scene.mounted.close({ patience: 60_000 })).toEqual([]);

    for (let number = 0; number < 30; number += 1)
      expect(await textOf(scene, `f${number}`)).toBe(`${number}`);
  });

  it('says what stays here when it is ended early [write-back/unmount]', async () => {
    const scene = await writeBack();
    await writeFile(scene.fs, '/f', 'kept');
    scene.service.putObject = () => new Promise(() => undefined);

    const unsent = await scene.mounted.close({ patience: 3_600_000, giveUp: AbortSignal.abort() });

    expect(unsent).toMatchObject([{ path: '/f' }]);
  });
});

async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
