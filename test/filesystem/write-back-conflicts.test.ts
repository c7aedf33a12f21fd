/** SEMANTICS: with write-back a conflict is found by the upload, when programs may have gone on with the file. */
import { describe, expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  names,
  openForTest,
  readFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import {
  LogForTest,
  edit,
  openToEdit,
  openToRewrite,
  setXattr,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { textOf, textOfConflictCopy, visibilityOf } from '../support/stored-state.ts';

/** Longer than what is closed waits for its upload. */
const SOON = 200;
/** More than any test here makes. */
const MOST_REQUESTS = 100;

function writeBack(options: TestOptions = {}): Promise<FileSystemForTest> {
  let count = 0;
  return openForTest({
    ...options,
    settings: { ...options.settings, writeBack: true },
    between: (service) =>
      new InterceptedService(service, (_call, proceed) => {
        count += 1;
        if (count > MOST_REQUESTS) throw new Error('the service is asked without end');
        return proceed();
      }),
  });
}

const stateOf = (scene: FileSystemForTest, path: string): Promise<string> =>
  xattr(scene.fs, path, 'user.pailfs.state');

describe('a conflict that only the upload finds', () => {
  it('leaves both files [write-back/conflict]', async () => {
    const scene = await writeBack();
    await scene.foreignWrite('f', 'base');
    await edit(scene.fs, '/f', 'B', 0);
    await scene.foreignWrite('f', 'them');

    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('them');
    expect(await textOfConflictCopy(scene)).toBe('Base');
  });

  it('with "fail" sets the edit aside; the name shows theirs, why, and tells it to the next fsync, once [write-back/conflict] [write-back/refused]', async () => {
    const log = new LogForTest();
    const scene = await writeBack({ log, settings: { conflict: 'fail' } });
    await scene.foreignWrite('f', 'base');
    await edit(scene.fs, '/f', 'B', 0);
    await scene.foreignWrite('f', 'them');
    scene.clock.advance(SOON);
    await expect.poll(() => log.about('set aside').length).toBe(1);

    expect((await readFile(scene.fs, '/f')).toString()).toBe('them');
    expect(await stateOf(scene, '/f')).toBe('failed');
    expect(await xattr(scene.fs, '/f', 'user.pailfs.error')).toContain('somebody else replaced the file');
    const handle = await openToEdit(scene.fs, '/f');
    await expect(scene.fs.fsync(handle)).rejects.toMatchObject({ code: 'ESTALE' });
    await scene.fs.fsync(handle);
    await scene.fs.release(handle);
    expect(await stateOf(scene, '/f')).toBe('clean');
  });

  describe('while a program writes the file anew from empty', () => {
    it('leaves both files, and the new content replaces theirs when it is closed [write-back/conflict] [write/rewrite-wins]', async () => {
      const scene = await writeBack();
      await scene.foreignWrite('f', 'base');
      await edit(scene.fs, '/f', 'B', 0);
      const handle = await openToRewrite(scene.fs, '/f');
      await writeAt(scene.fs, handle, 'anew');
      await scene.foreignWrite('f', 'them');

      await drained(scene.mounted);

      expect(await textOf(scene, 'f')).toBe('them');
      expect(await textOfConflictCopy(scene)).toBe('Base');
      await scene.fs.flush(handle);
      await scene.fs.release(handle);
      await drained(scene.mounted);
      expect(await textOf(scene, 'f')).toBe('anew');
      expect(await textOfConflictCopy(scene)).toBe('Base');
      expect(await scene.mounted.unsent.list()).toEqual([]);
    });

    it('keeps the edit private though it was to be public [conflict/private]', async () => {
      const scene = await writeBack();
      await scene.foreignWrite('f', 'base');
      await edit(scene.fs, '/f', 'B', 0);
      await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');
      const handle = await openToRewrite(scene.fs, '/f');
      await writeAt(scene.fs, handle, 'anew');
      await scene.foreignWrite('f', 'them');

      await drained(scene.mounted);

      const copy = (await names(scene.fs, '/')).find((name) => name.includes('conflict')) ?? '';
      expect(await textOf(scene, copy)).toBe('Base');
      expect(await visibilityOf(scene, copy)).toBe('private');
      await scene.fs.release(handle);
    });

    it('keeps the edit under its own name when it cannot be stored yet, over a kill, too [write-back/crash]', async () => {
      const scene = await writeBack();
      await scene.foreignWrite('f', 'base');
      await edit(scene.fs, '/f', 'B', 0);
      const handle = await openToRewrite(scene.fs, '/f');
      await writeAt(scene.fs, handle, 'anew');
      await scene.foreignWrite('f', 'them');
      scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
      scene.clock.advance(SOON);
      await expect
        .poll(() => scene.mounted.unsent.list())
        .toMatchObject([
          { path: '/f', state: 'open' },
          { path: expect.stringContaining('conflict') as string, attempts: 1 },
        ]);
      const disk = await diskNow(scene);
      scene.faults.clear();

      await drained(await mountOver(disk, scene));

      expect(await textOf(scene, 'f')).toBe('them');
      expect(await textOfConflictCopy(scene)).toBe('Base');
      await scene.fs.release(handle);
    });
  });
});

describe('who has a file open that somebody else has replaced, while another program edits theirs', () => {
  /** One program has written the old file anew, another edits the new one; neither is closed. */
  async function twoFiles(): Promise<{ scene: FileSystemForTest; ours: FileHandle; theirs: FileHandle }> {
    const scene = await writeBack();
    await scene.foreignWrite('f', 'base');
    const ours = await openToEdit(scene.fs, '/f');
    await scene.foreignWrite('f', 'them');
    scene.clock.advance(20_000);
    const theirs = await openToEdit(scene.fs, '/f');
    await writeAt(scene.fs, theirs, 'T');
    await scene.fs.truncate('/f', 0, ours);
    await writeAt(scene.fs, ours, 'ours');
    return { scene, ours, theirs };
  }

  it('hears at close what the service says: no promise is out of sight [write-back/close] [uploads/list]', async () => {
    const { scene, ours, theirs } = await twoFiles();
    scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 } });

    await expect(scene.fs.flush(ours)).rejects.toMatchObject({ code: 'EIO' });
    await scene.fs.release(ours);

    const waiting = (await scene.mounted.unsent.list()).map(({ state, bytes }) => ({ state, bytes }));
    expect(waiting).toContainEqual({ state: 'set aside', bytes: 4 });
    await scene.fs.release(theirs);
  });

  it('has it stored by its close, and the edit is a conflict then [write/rewrite-wins] [write-back/conflict]', async () => {
    const { scene, ours, theirs } = await twoFiles();

    for (const handle of [ours, theirs]) {
      await scene.fs.flush(handle);
      await scene.fs.release(handle);
    }
    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('ours');
    expect(await textOfConflictCopy(scene)).toBe('Them');
  });
});
