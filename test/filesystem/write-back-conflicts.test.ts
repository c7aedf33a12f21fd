/** SEMANTICS: with write-back a conflict is found by the upload, when programs may have gone on with the file. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, readFile, type FileSystemForTest, type TestOptions } from '../support/open-for-test.ts';
import { LogForTest, edit, openToEdit, openToRewrite, writeAt, xattr } from '../support/program-acts.ts';
import { textOf, textOfConflictCopy } from '../support/stored-state.ts';

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
