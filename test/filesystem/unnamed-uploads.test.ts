/** What of a service whose ETags are no MD5 and that tells no time? Only the bytes say that our own file is ours. */
import { describe, expect, it } from 'vitest';
import {
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { edit } from '../support/program-acts.ts';

function openOddService(settings: TestOptions['settings'] = {}): Promise<FileSystemForTest> {
  return openForTest({ store: { behaviours: { etag: 'random', date: 'missing' } }, settings });
}

describe('on a service that names and dates nothing usable', () => {
  it('a file just written can be appended to, again and again [write/own-bytes]', async () => {
    const { fs, asked, stored } = await openOddService();
    await writeFile(fs, '/f', 'one');
    asked();

    await edit(fs, '/f', ' two', 3);
    await edit(fs, '/f', ' three', 7);

    expect((await stored('f')).toString()).toBe('one two three');
    expect(asked()).toEqual([
      'headObject f',
      'getObject f',
      'putObject f',
      'headObject f',
      'getObject f',
      'putObject f',
    ]);
  });

  it('an edit is still a conflict with a file of the same size by somebody else [write/own-bytes]', async () => {
    const { fs, stored, foreignWrite } = await openOddService({ conflict: 'fail' });
    await writeFile(fs, '/f', 'one');
    await foreignWrite('f', 'two');

    await expect(edit(fs, '/f', '!', 3)).rejects.toMatchObject({ code: 'ESTALE' });

    expect((await stored('f')).toString()).toBe('two');
  });

  it('a public file stays public over a rewrite, and a rename works [write/own-bytes]', async () => {
    const { fs, direct, bucket } = await openOddService();
    await writeFile(fs, '/f', 'one');
    await fs.setXattr('/f', 'user.pailfs.visibility', Buffer.from('public'), 'any');

    await writeFile(fs, '/f', 'two');
    await fs.rename('/f', '/g', false);

    expect((await direct.getVisibility(bucket, 'g')).visibility).toBe('public');
    expect((await readFile(fs, '/g')).toString()).toBe('two');
  });

  it('an edit whose upload lost its answer is no conflict with itself', async () => {
    const { fs, faults, stored } = await openOddService();
    await writeFile(fs, '/f', 'one');
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });

    await expect(edit(fs, '/f', ' two', 3)).rejects.toMatchObject({ code: 'EIO' });
    await edit(fs, '/f', ' three', 7);

    expect((await stored('f')).toString()).toBe('one two three');
  });
});
