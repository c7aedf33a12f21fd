/** SEMANTICS: what the next mount finds when this one is killed while a program closes a public file. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { textOf, visibilityOf } from '../support/stored-state.ts';

describe('a mount killed in the middle of a close', () => {
  /** The disk at the moment at which `operation` is asked for or, with `after`, was done, while a program closes /f. */
  async function killedAt(
    operation: string,
    when: 'before' | 'after',
    content = 'new',
  ): Promise<FileSystemForTest & { readonly disk: DiskImage }> {
    let image: DiskImage | undefined;
    let isArmed = false;
    const scene: FileSystemForTest = await openForTest({
      between: (service) =>
        new InterceptedService(service, async (call, proceed) => {
          const isIt = isArmed && call.operation === operation;
          if (isIt && when === 'before') image = await diskNow(scene);
          const answer = await proceed();
          if (isIt && when === 'after') image = await diskNow(scene);
          // What the killed mount did not do: the test has the answers only up to here.
          if (isIt) throw new Error('the mount is dead');
          return answer;
        }),
    });
    await scene.foreignWrite('f', 'old');
    await scene.direct.setVisibility(scene.bucket, 'f', 'public');
    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, content);
    isArmed = true;
    await scene.fs.flush(handle).catch(() => undefined);
    isArmed = false;
    if (image === undefined) throw new Error(`${operation} was not asked for`);
    return { ...scene, disk: image };
  }

  it('before the PUT of a public file stores it later, and public [crash/link]', async () => {
    const scene = await killedAt('putObject', 'before');

    const next = await mountOver(scene.disk, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(await textOf(scene, 'f')).toBe('new');
    expect(await visibilityOf(scene, 'f')).toBe('public');
  });

  it('between the PUT and the link gives the link back [crash/link]', async () => {
    const scene = await killedAt('putObject', 'after');
    expect(await visibilityOf(scene, 'f')).toBe('private');
    scene.asked();

    const next = await mountOver(scene.disk, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(await visibilityOf(scene, 'f')).toBe('public');
    expect(scene.asked().filter((line) => line.startsWith('putObject'))).toEqual([]);
    expect(next.setAside).toEqual([]);
  });

  it('never makes public what somebody else stored since [crash/link]', async () => {
    const scene = await killedAt('putObject', 'after');
    await scene.foreignWrite('f', 'secret');

    const next = await mountOver(scene.disk, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(await visibilityOf(scene, 'f')).toBe('private');
  });

  it('and killed again while a program rewrites the file gives the link back [crash/link]', async () => {
    const scene = await killedAt('putObject', 'after');
    scene.faults.add({ operation: 'headObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    const next = await mountOver(scene.disk, scene);
    const handle = await openToRewrite(next.operations, '/f');
    await writeAt(next.operations, handle, 'hal');
    const disk = await diskNow({ stateDirectory: scene.disk.directory });
    scene.faults.clear();

    const last = await mountOver(disk, scene);
    expect(await last.close({ patience: 60_000 })).toEqual([]);

    expect(await visibilityOf(scene, 'f')).toBe('public');
    expect(await textOf(scene, 'f')).toBe('new');
    await next.operations.release(handle);
  });

  it('before the link was restored gives it back, and only once [crash/link]', async () => {
    const scene = await killedAt('setVisibility', 'before');

    const next = await mountOver(scene.disk, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);
    await scene.direct.setVisibility(scene.bucket, 'f', 'private');
    const last = await mountOver(scene.disk, scene);
    expect(await last.close({ patience: 60_000 })).toEqual([]);

    expect(await visibilityOf(scene, 'f')).toBe('private');
  });
});

describe('a mount killed in the middle of the first close of a file that was set public', () => {
  /** Killed when /f is stored, and private; or, `isPublished`, when it has been made public. */
  async function nextMountOfKilled(
    isPublished: boolean,
  ): Promise<FileSystemForTest & { setAside: readonly string[] }> {
    let image: DiskImage | undefined;
    const last = isPublished ? 'setVisibility' : 'putObject';
    const scene: FileSystemForTest = await openForTest({
      between: (service) =>
        new InterceptedService(service, async (call, proceed) => {
          const answer = await proceed();
          if (call.operation !== last) return answer;
          image = await diskNow(scene);
          throw new Error('the mount is dead');
        }),
    });
    const handle = await openToRewrite(scene.fs, '/f');
    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');
    await writeAt(scene.fs, handle, 'new');
    await scene.fs.flush(handle).catch(() => undefined);
    if (image === undefined) throw new Error('the mount did not come so far');
    const next = await mountOver(image, scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);
    return { ...scene, setAside: next.setAside.map(({ key }) => key) };
  }

  it('keeps what it wrote in sight until a person says what becomes of it [crash/half]', async () => {
    const scene = await nextMountOfKilled(false);

    expect(scene.setAside).toEqual(['f']);
    expect(await visibilityOf(scene, 'f')).toBe('private');
  });

  it('keeps nothing once it is public [crash/half]', async () => {
    const scene = await nextMountOfKilled(true);

    expect(scene.setAside).toEqual([]);
    expect(await visibilityOf(scene, 'f')).toBe('public');
  });
});

describe('a link that could not be restored', () => {
  it('is restored by the next mount [crash/link]', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'old');
    await scene.direct.setVisibility(scene.bucket, 'f', 'public');
    scene.faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 403 } });
    await expect(writeFile(scene.fs, '/f', 'new')).rejects.toMatchObject({ code: 'EACCES' });
    expect(await visibilityOf(scene, 'f')).toBe('private');

    const next = await mountOver(await diskNow(scene), scene);

    await expect.poll(() => visibilityOf(scene, 'f')).toBe('public');
    expect(await next.close({ patience: 60_000 })).toEqual([]);
  });

  it('is left alone when a program has set it since', async () => {
    const scene = await openForTest();
    await scene.foreignWrite('f', 'old');
    await scene.direct.setVisibility(scene.bucket, 'f', 'public');
    scene.faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 403 } });
    await expect(writeFile(scene.fs, '/f', 'new')).rejects.toMatchObject({ code: 'EACCES' });
    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'private');

    const next = await mountOver(await diskNow(scene), scene);
    expect(await next.close({ patience: 60_000 })).toEqual([]);

    expect(await visibilityOf(scene, 'f')).toBe('private');
  });
});
