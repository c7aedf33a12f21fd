/** SEMANTICS: an upload whose end nobody knows arrives after what a program did next. What the program did next lasts. */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { bytesOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openOverHttp } from '../support/open-over-http.ts';
import type { FileSystemForTest } from '../support/open-for-test.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToRewrite, setXattr, writeAt, xattr } from '../support/program-acts.ts';
import { textOf, textsOf } from '../support/stored-state.ts';

/** The next upload has no answer, and is done when so many requests after it have been answered. */
function loseNextUpload({ store, faults }: Pick<FileSystemForTest, 'store' | 'faults'>, after = 1): void {
  store.lies.showUploadsLate(1, after);
  faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
}

/** The upload of `late` to `/f` has an unknown end. */
async function afterLostUpload(after?: number): Promise<FileSystemForTest> {
  const scene = await openForTest();
  await scene.foreignWrite('other', 'copied');
  await names(scene.fs, '/');
  loseNextUpload(scene, after);
  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'late'))).toBe('EIO');
  scene.asked();
  return scene;
}

describe('when an upload of unknown end arrives late', () => {
  it('the next save lasts: a look finds the late one, and it is stored again [write/unknown]', async () => {
    const scene = await afterLostUpload();

    await writeFile(scene.fs, '/f', 'newest');

    expect(scene.asked()).toEqual(['putObject f', 'headObject f', 'putObject f', 'headObject f']);
    expect(await textOf(scene, 'f')).toBe('newest');
    expect((await readFile(scene.fs, '/f')).toString()).toBe('newest');
  });

  it('and never does, the next save costs one look, and the save after it none [write/unknown]', async () => {
    const scene = await afterLostUpload(1000);

    await writeFile(scene.fs, '/f', 'newer');
    const next = scene.asked();
    await writeFile(scene.fs, '/f', 'newest');

    expect(next).toEqual(['putObject f', 'headObject f']);
    expect(scene.asked()).toEqual(['putObject f']);
  });

  it('what was there before is stored again when a program saves it, though it is there yet [write/unknown]', async () => {
    const scene = await openForTest();
    await writeFile(scene.fs, '/f', 'good');
    await names(scene.fs, '/');
    loseNextUpload(scene, 2);
    expect(await errnoOfCall(writeFile(scene.fs, '/f', 'late'))).toBe('EIO');
    const [waiting] = await scene.mounted.unsent.list();
    await scene.mounted.unsent.discard([waiting?.id ?? '']);
    await scene.fs.getAttributes('/f');

    await writeFile(scene.fs, '/f', 'good');
    await scene.foreignWrite('other', 'so that the late one comes by now');

    expect(await textOf(scene, 'f')).toBe('good');
  });

  it('the same bytes stored again need no look, but those stored after them do [write/unknown]', async () => {
    const scene = await afterLostUpload(2);

    await writeFile(scene.fs, '/f', 'late');
    const same = scene.asked();
    await writeFile(scene.fs, '/f', 'newest');

    expect(same).toEqual(['putObject f']);
    expect(scene.asked()).toEqual(['putObject f', 'headObject f', 'putObject f', 'headObject f']);
    expect(await textOf(scene, 'f')).toBe('newest');
  });

  it('a file renamed over its name lasts [write/unknown]', async () => {
    const scene = await afterLostUpload(2);

    await scene.fs.rename('/other', '/f', false);

    expect(await textOf(scene, 'f')).toBe('copied');
    expect(await textOf(scene, 'other')).toBe('(none)');
  });

  it('a removed file does not come back [write/unknown]', async () => {
    const scene = await afterLostUpload();

    await scene.fs.unlink('/f');

    expect(await textOf(scene, 'f')).toBe('(none)');
    expect(await names(scene.fs, '/')).toEqual(['other']);
  });

  it('a file under a name whose draft was discarded meanwhile lasts [write/unknown]', async () => {
    const scene = await afterLostUpload(3);
    const [waiting] = await scene.mounted.unsent.list();
    await scene.mounted.unsent.discard([waiting?.id ?? '']);

    await writeFile(scene.fs, '/f', 'newest');

    expect(await textOf(scene, 'f')).toBe('newest');
  });

  it('a public file stays public [write/unknown]', async () => {
    const scene = await openForTest();
    await writeFile(scene.fs, '/f', 'first');
    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');
    loseNextUpload(scene);
    expect(await errnoOfCall(writeFile(scene.fs, '/f', 'late'))).toBe('EIO');

    await writeFile(scene.fs, '/f', 'newest');

    expect(await textOf(scene, 'f')).toBe('newest');
    expect((await scene.direct.getVisibility(scene.bucket, 'f')).visibility).toBe('public');
  });

  it('and another one after each try, the save fails, and the next fsync stores it [write/unknown]', async () => {
    const scene = await openForTest();
    await names(scene.fs, '/');
    for (const [late, after] of [4, 5, 6, 7].entries()) {
      loseNextUpload(scene, after);
      expect(await errnoOfCall(writeFile(scene.fs, '/f', `late ${late}`))).toBe('EIO');
    }

    const handle = await openToRewrite(scene.fs, '/f');
    await writeAt(scene.fs, handle, 'newest');
    const told = await errnoOfCall(scene.fs.flush(handle));
    await scene.fs.fsync(handle);
    await scene.fs.release(handle);

    expect(told).toBe('EIO');
    expect(await textOf(scene, 'f')).toBe('newest');
  });

  it('after the client has tried again by itself, the next save lasts [write/unknown]', async () => {
    const http = await openOverHttp();
    const { mounted, direct, bucket } = http;
    await names(mounted.operations, '/');
    loseNextUpload(http, 2);
    await writeFile(mounted.operations, '/f', 'late');

    await writeFile(mounted.operations, '/f', 'newest');

    expect((await bytesOf((await direct.getObject(bucket, 'f')).body)).toString()).toBe('newest');
  });
});

describe('with write-back, when an upload of unknown end arrives late', () => {
  it('the file closed after it is stored for good [write-back/unknown]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await names(scene.fs, '/');
    loseNextUpload(scene);
    await writeFile(scene.fs, '/f', 'late');
    scene.clock.advance(200);
    await expect.poll(() => xattr(scene.fs, '/f', 'user.pailfs.state')).toBe('failed');
    scene.asked();

    await writeFile(scene.fs, '/f', 'newest');
    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('newest');
    expect(scene.asked()).toEqual(['putObject f', 'headObject f', 'putObject f', 'headObject f']);
  });

  it('a file that was stored again since is unlinked for good [write-back/unknown]', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await names(scene.fs, '/');
    loseNextUpload(scene, 3);
    await writeFile(scene.fs, '/f', 'late');
    scene.clock.advance(200);
    await expect.poll(() => xattr(scene.fs, '/f', 'user.pailfs.state')).toBe('failed');
    await drained(scene.mounted);

    await scene.fs.unlink('/f');
    await drained(scene.mounted);

    expect(await textOf(scene, 'f')).toBe('(none)');
  });
});

it('a file whose upload arrives only once its name has been looked at goes all the same [write-back/unknown]', async () => {
  let isUnlinked = false;
  const scene: FileSystemForTest = await openForTest({
    settings: { writeBack: true },
    between: (service) =>
      new InterceptedService(service, async ({ operation }, proceed) => {
        const isLook = isUnlinked && operation === 'headObject';
        if (isLook) isUnlinked = false;
        return proceed().finally(async () => {
          if (isLook) await scene.foreignWrite('f', 'late');
        });
      }),
  });
  const { fs, faults } = scene;
  await scene.foreignWrite('other', 'stays');
  faults.add({ operation: 'putObject', times: 1, fault: { kind: 'reset' } });
  await writeFile(fs, '/f', 'late');
  await drained(scene.mounted).catch(() => undefined);
  expect(await textsOf(scene)).toEqual({ other: 'stays' });
  isUnlinked = true;
  await fs.unlink('/f');

  await drained(scene.mounted);

  expect(await textsOf(scene)).toEqual({ other: 'stays' });
  expect(isUnlinked).toBe(false);
});
