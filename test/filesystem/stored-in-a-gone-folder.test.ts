/** SEMANTICS: a file that waited is stored after its folder went: the folder is there again. */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** As long as names are trusted, milliseconds. */
const TTL = 10_000;

/** A mount with /e/x, which was set aside, in a folder that is still there. */
async function withSetAside(writeBack: boolean): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings: { writeBack } });
  await scene.fs.mkdir('/e', 0o755);
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });
  await errnoOfCall(writeFile(scene.fs, '/e/x', 'the bytes'));
  await drained(scene.mounted).catch(() => undefined);
  expect(await scene.mounted.unsent.list()).toMatchObject([{ path: '/e/x', state: 'set aside' }]);
  return scene;
}

describe.each([false, true])('with write-back %s, a person stores what was set aside', (writeBack) => {
  it.each(['removed', 'renamed'])(
    'its folder, which was %s, is there again [fresh/own-changes]',
    async (how) => {
      const scene = await withSetAside(writeBack);
      await (how === 'removed' ? scene.fs.rmdir('/e') : scene.fs.rename('/e', '/t', false));

      await scene.mounted.unsent.retry(null);

      expect(await names(scene.fs, '/')).toContain('e');
      expect(await names(scene.fs, '/e')).toEqual(['x']);
      expect(await errnoOfCall(scene.fs.mkdir('/e', 0o755))).toBe('EEXIST');
      const alone = { read: false, write: true, truncate: false, exclusive: true, mode: 0o644 };
      expect(await errnoOfCall(scene.fs.create('/e/x', alone))).toBe('EEXIST');
      expect(await textsOf(scene)).toEqual({ 'e/x': 'the bytes' });
    },
  );
});

it.each([false, true])(
  'so is one whose last file others have deleted meanwhile (write-back %s)',
  async (writeBack) => {
    const scene = await openForTest({ settings: { writeBack } });
    await scene.foreignWrite('e/y', 'y');
    scene.faults.add({ operation: 'putObject', times: 3, fault: { kind: 'status', status: 503 } });
    await errnoOfCall(writeFile(scene.fs, '/e/x', 'the bytes'));
    await scene.direct.deleteObject(scene.bucket, 'e/y');
    scene.clock.advance(TTL);
    await names(scene.fs, '/');
    scene.faults.clear();

    await scene.mounted.unsent.retry(null);
    await drained(scene.mounted);

    expect(await names(scene.fs, '/')).toEqual(['e']);
    expect(await errnoOfCall(scene.fs.mkdir('/e', 0o755))).toBe('EEXIST');
  },
);
