/** The service's ETags look like the MD5 of something and are that of nothing (files kept encrypted): they prove nothing. */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile, type TestOptions } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToRead, textAt } from '../support/program-acts.ts';
import { stateOf, withPublicFile } from '../support/public-file.ts';
import { textOf } from '../support/stored-state.ts';

const DATES = [0, 'missing'] as const;

describe.each(DATES)('where ETags only look like MD5s (Date: %s)', (date) => {
  const options: TestOptions = { store: { behaviours: { etag: 'hex', date } } };

  it('an upload that comes late does not stay in place of the next save [write/unknown]', async () => {
    const scene = await openForTest(options);
    await names(scene.fs, '/');
    scene.store.lies.showUploadsLate(1, 1);
    scene.faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    expect(await errnoOfCall(writeFile(scene.fs, '/f', 'late'))).toBe('EIO');

    await writeFile(scene.fs, '/f', 'newest');

    expect(await textOf(scene, 'f')).toBe('newest');
  });

  it('a file that is edited stays public [visibility/preserve]', async () => {
    const scene = await withPublicFile(options);

    await edit(scene.fs, '/f', 'O', 0);

    expect(await stateOf(scene)).toEqual(['Old', 'public']);
  });

  it('so does one whose edit the next mount stores after a kill [crash/link]', async () => {
    const settings = { writeBack: true };
    const scene = await withPublicFile({ ...options, settings });
    await edit(scene.fs, '/f', 'O', 0);

    await drained(await mountOver(await diskNow(scene), scene, { settings }));

    expect(await stateOf(scene)).toEqual(['Old', 'public']);
  });

  it.each(['here', 'elsewhere'])('a file stored %s can be renamed [rename/copy]', async (where) => {
    const scene = await openForTest(options);
    const { fs, clock } = scene;
    if (where === 'here') await writeFile(fs, '/a', 'bytes');
    else await scene.foreignWrite('a', 'bytes');
    clock.advance(11_000);

    await fs.rename('/a', '/b', false);

    expect(await names(fs, '/')).toEqual(['b']);
    expect((await readFile(fs, '/b')).toString()).toBe('bytes');
  });

  it('a removed file whose upload had no answer does not come back [write/unknown]', async () => {
    const scene = await openForTest(options);
    await names(scene.fs, '/');
    scene.store.lies.showUploadsLate(1, 1);
    scene.faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    expect(await errnoOfCall(writeFile(scene.fs, '/f', 'late'))).toBe('EIO');

    await scene.fs.unlink('/f');
    scene.clock.advance(11_000);

    expect(await names(scene.fs, '/')).toEqual([]);
  });

  it('who has the file open reads on when a listing names it [fresh/no-mixing]', async () => {
    const { fs, clock } = await openForTest({ ...options, settings: { cache: 'off' } });
    await writeFile(fs, '/a', 'ours');
    const handle = await openToRead(fs, '/a');
    clock.advance(11_000);
    await names(fs, '/');

    expect(await textAt(fs, handle)).toBe('ours');
    await fs.release(handle);
  });

  it('what others stored, of the same size, is still theirs [conflict/keep-both]', async () => {
    const scene = await openForTest(options);
    const { fs, clock } = scene;
    await writeFile(fs, '/a', 'ours!!');
    await scene.foreignWrite('a', 'theirs');
    clock.advance(11_000);

    await edit(fs, '/a', 'T', 0);

    expect(await textOf(scene, 'a')).toBe('Theirs');
  });
});
