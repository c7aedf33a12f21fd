/** SEMANTICS: where neither ETag nor Date tells whose an upload is, programs that have the file open go on with it all the same. */
import { describe, expect, it } from 'vitest';
import { heldRequests } from '../support/held-requests.ts';
import { names, openForTest, type FileSystemForTest, type TestOptions } from '../support/open-for-test.ts';
import { edit, openToEdit, openToRead, openToRewrite, textAt, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';
import type { FileHandle } from '../../src/filesystem/operations.ts';

const TTL = 10_000;

/** A program has stored `/f`, and has it open while names are not trusted any more. */
async function storedAndOpen(
  between?: TestOptions['between'],
): Promise<{ scene: FileSystemForTest; first: FileHandle }> {
  const scene = await openForTest({
    store: { behaviours: { etag: 'random', date: 'missing' } },
    ...(between !== undefined && { between }),
  });
  const first = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, first, 'aaaabbbb');
  await scene.fs.flush(first);
  scene.clock.advance(TTL);
  return { scene, first };
}

describe('a file that was stored here, and that the service names by nothing', () => {
  it('is one file to a program that has it open, and to one that edits it now [write/handles]', async () => {
    const { scene, first } = await storedAndOpen();

    await edit(scene.fs, '/f', 'B', 4);
    expect(await textAt(scene.fs, first)).toBe('aaaaBbbb');
    await writeAt(scene.fs, first, 'A', 0);
    await scene.fs.flush(first);
    await scene.fs.release(first);

    expect(await textsOf(scene)).toEqual({ f: 'AaaaBbbb' });
  });

  it('is written by both at once [write/handles]', async () => {
    const { scene, first } = await storedAndOpen();
    const second = await openToEdit(scene.fs, '/f');

    await writeAt(scene.fs, first, 'A', 0);
    await writeAt(scene.fs, second, 'B', 4);
    for (const handle of [first, second]) {
      await scene.fs.flush(handle);
      await scene.fs.release(handle);
    }

    expect(await textsOf(scene)).toEqual({ f: 'AaaaBbbb' });
  });

  it('takes its handle along when its folder is renamed [rename/handles]', async () => {
    const scene = await openForTest({ store: { behaviours: { etag: 'random', date: 'missing' } } });
    await scene.fs.mkdir('/d', 0o755);
    const handle = await openToRewrite(scene.fs, '/d/f');
    await writeAt(scene.fs, handle, 'aaaabbbb');
    await scene.fs.flush(handle);
    scene.clock.advance(TTL);
    await names(scene.fs, '/d');

    await scene.fs.rename('/d', '/e', false);
    await writeAt(scene.fs, handle, 'A', 0);
    await scene.fs.flush(handle);
    await scene.fs.release(handle);

    expect(await textsOf(scene)).toEqual({ 'e/f': 'Aaaabbbb' });
  });

  it('has lost its name to another that is renamed over it [rename/handles]', async () => {
    const { scene, first } = await storedAndOpen();
    await scene.foreignWrite('g', 'from g');

    await scene.fs.rename('/g', '/f', false);
    await writeAt(scene.fs, first, 'A', 0);
    await scene.fs.flush(first);
    await scene.fs.release(first);

    expect(await textsOf(scene)).toEqual({ f: 'from g' });
  });

  it('takes its handle along to another name [rename/handles]', async () => {
    const { scene, first } = await storedAndOpen();

    await scene.fs.rename('/f', '/g', false);
    await writeAt(scene.fs, first, 'A', 0);
    await scene.fs.flush(first);
    await scene.fs.release(first);

    expect(await textsOf(scene)).toEqual({ g: 'Aaaabbbb' });
  });

  it('is downloaded once to know it, however many programs open it at once', async () => {
    const { scene } = await storedAndOpen();
    await names(scene.fs, '/');
    scene.asked();

    await Promise.all(Array.from({ length: 10 }, () => openToRead(scene.fs, '/f')));

    expect(scene.asked().filter((request) => request === 'getObject f')).toHaveLength(1);
  });

  it('is given up by a program that is interrupted while it is downloaded [interrupt/given-up]', async () => {
    const download = heldRequests('getObject');
    const { scene } = await storedAndOpen(download.between);
    await names(scene.fs, '/');
    const leaving = new AbortController();
    const intent = { read: true, write: false, truncate: false };
    const opened = scene.fs.open('/f', intent, leaving).then(
      () => 'opened',
      (error: unknown) => String(error),
    );
    await download.begun;

    leaving.abort();

    expect(await opened).toContain('EINTR');
    download.letGo();
  });
});
