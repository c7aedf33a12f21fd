/** SEMANTICS: what a program sees of names that the service does not take. The spec shows no constraint on keys (§4), which is no promise that there is none. */
import { describe, expect, it } from 'vitest';
import { namesBelow } from '../model/service-contents.ts';
import { draftText } from '../support/draft-bytes.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, LogForTest } from '../support/program-acts.ts';

/** 963 bytes: a file with a name of 100 in a folder of it has a key that is too long. */
const DEEP = ['x', 'y', 'z', 'w'].map((letter) => letter.repeat(240)).join('/');

/** Takes keys of at most 1,024 bytes without control characters and backslashes. */
function openPlain(writeBack: boolean, log = new LogForTest()): Promise<FileSystemForTest> {
  return openForTest({ store: { behaviours: { keys: 'plain' } }, settings: { writeBack }, log });
}

describe.each([
  ['written through', false],
  ['with --write-back', true],
])('where only plain keys are taken, %s', (_mode, writeBack) => {
  it('mkdir of another name is EINVAL, and the name stays free [errors/table]', async () => {
    const { fs } = await openPlain(writeBack);

    expect(await errnoOfCall(fs.mkdir('/a\\b', 0o755))).toBe('EINVAL');

    expect(await names(fs, '/')).toEqual([]);
  });

  it('a folder with a file that would be too deep stays where it is, whole [rename/undo]', async () => {
    const { fs, mounted, direct, bucket, foreignWrite, stored } = await openPlain(writeBack);
    const long = 'n'.repeat(100);
    for (const name of ['a', long, 'z']) await foreignWrite(`d/${name}`, `content of ${name}`);
    await foreignWrite(`${DEEP}/f`, '');

    expect(await errnoOfCall(fs.rename('/d', `/${DEEP}/d`, false))).toBe('EINVAL');

    expect(await names(fs, '/d')).toEqual(['a', long, 'z']);
    expect(await names(fs, `/${DEEP}`)).toEqual(['f']);
    await drained(mounted);
    const held = await namesBelow(direct, bucket, '');
    expect([...held.files].sort()).toEqual(['d/a', `d/${long}`, 'd/z', `${DEEP}/f`].sort());
    expect((await stored(`d/${long}`)).toString()).toBe(`content of ${long}`);
    expect((await readFile(fs, '/d/z')).toString()).toBe('content of z');
  });

  it('a file renamed to another name stays where it is [rename/undo]', async () => {
    const { fs, mounted, foreignWrite, stored } = await openPlain(writeBack);
    await foreignWrite('f', 'content');

    expect(await errnoOfCall(fs.rename('/f', '/f\\', false))).toBe('EINVAL');

    await drained(mounted);
    expect(await names(fs, '/')).toEqual(['f']);
    expect((await stored('f')).toString()).toBe('content');
  });
});

it('a save under another name is EINVAL at close, and its bytes are set aside [write/refused]', async () => {
  const log = new LogForTest();
  const { fs } = await openPlain(false, log);

  await expect(writeFile(fs, '/a\nb', 'bytes')).rejects.toMatchObject({ code: 'EINVAL' });

  expect(await draftText(String(log.about('set aside')[0]?.fields['where']))).toBe('bytes');
  expect(await names(fs, '/')).toEqual([]);
});

it('with --write-back its bytes wait, and the next files go up [write/refused]', async () => {
  const { fs, mounted, stored } = await openPlain(true);

  await writeFile(fs, '/a\\b', 'bytes');
  await writeFile(fs, '/c', 'more');

  const [unsent, ...others] = await mounted.close({ patience: 60_000 });
  expect([unsent?.path, await draftText(unsent?.file ?? ''), others]).toEqual(['/a\\b', 'bytes', []]);
  expect((await stored('c')).toString()).toBe('more');
});
