/** SEMANTICS: a program makes a file in a folder that is just being renamed or removed: there is no place for it, and the folder stays gone. */
import { describe, expect, it } from 'vitest';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { signal } from '../support/signal.ts';

interface Held {
  readonly scene: FileSystemForTest;
  /** Has the result of writing `/d/x/new`, begun once the held request was made, and lets that go. */
  readonly make: () => Promise<string>;
}

/** The request `operation` of `key` waits until a program, which has found the folder, is about to make a file in it. */
async function heldAt(operation: 'putObject' | 'deleteObject', key: string): Promise<Held> {
  const [begun, looked] = [signal(), signal()];
  let isHeld = false;
  const create: typeof nodeLocalFiles.create = (directory) => {
    if (isHeld) looked.give();
    return nodeLocalFiles.create(directory);
  };
  const scene = await openForTest({
    localFiles: { ...nodeLocalFiles, create },
    between: (service) =>
      new InterceptedService(service, async (call, proceed) => {
        if (call.operation !== operation || call.key !== key) return proceed();
        isHeld = true;
        begun.give();
        await looked.given;
        return proceed();
      }),
  });
  const make = async (): Promise<string> => {
    await begun.given;
    return errnoOfCall(writeFile(scene.fs, '/d/x/new', 'new'));
  };
  return { scene, make };
}

describe.each([
  ['nothing else', []],
  ['a file whose name it has', ['d/x']],
  ['a key that cannot be shown', ['d//b']],
])('a new file in a folder beside %s', (_beside, keys) => {
  it('that is being renamed is ENOENT [rename/meanwhile]', async () => {
    const { scene, make } = await heldAt('putObject', 'd/w/y');
    for (const key of ['d/x/y', 'd/z', ...keys]) await scene.foreignWrite(key, '');
    for (const path of ['/d', '/d/x']) await names(scene.fs, path);

    const [made] = await Promise.all([make(), scene.fs.rename('/d/x', '/d/w', false)]);

    expect(made).toBe('ENOENT');
    expect(await names(scene.fs, '/d')).toEqual(keys.includes('d/x') ? ['w', 'x', 'z'] : ['w', 'z']);
  });

  it('that is being removed is ENOENT [folders/rmdir]', async () => {
    const { scene, make } = await heldAt('deleteObject', 'd/x/');
    const { fs, direct, bucket, foreignWrite } = scene;
    await direct.createFolder(bucket, 'd/x');
    for (const key of ['d/z', ...keys]) await foreignWrite(key, '');
    for (const path of ['/d', '/d/x']) await names(fs, path);

    const [made] = await Promise.all([make(), fs.rmdir('/d/x')]);

    expect(made).toBe('ENOENT');
    expect(await names(fs, '/d')).toEqual(keys.includes('d/x') ? ['x', 'z'] : ['z']);
  });
});
