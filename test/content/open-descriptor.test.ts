/** What may be asked of an open file of the local disk, also while it is being closed, on a quick disk and on a slow one? */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskCalls } from '../../src/content/disk-calls.ts';
import { OpenDescriptor } from '../../src/content/open-descriptor.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
/** More than is written or read here. */
const long = new Uint8Array(1024 * 1024).fill(7);

async function slowDisk(): Promise<DiskCalls> {
  const clock = new ManualClock();
  const calls = new DiskCalls(clock);
  await calls.make(
    () => {
      clock.advance(50);
    },
    () => Promise.resolve(),
  );
  return calls;
}

describe.each([
  ['quick', () => Promise.resolve(new DiskCalls(new ManualClock()))],
  ['slow', slowDisk],
])('an open file of a %s disk', (_name, disk) => {
  async function arrange(): Promise<{ readonly path: string; readonly file: OpenDescriptor }> {
    const path = join(await temporaryDirectory(), 'file');
    return { path, file: await OpenDescriptor.open(await disk(), path, 'wx+', 0o600) };
  }

  it('has what was written, short and long, until it is cut', async () => {
    const { path, file } = await arrange();

    expect(await file.write(text('hello'), 0)).toBe(5);
    expect(await file.write(long, 5)).toBe(long.length);
    await file.sync();
    const [start, rest] = [new Uint8Array(7), new Uint8Array(long.length)];
    expect(await file.read(start, 0)).toBe(7);
    expect(await file.read(rest, 5)).toBe(long.length);
    await file.truncate(5);
    await file.close();

    expect(start).toEqual(Uint8Array.of(...text('hello'), 7, 7));
    expect(Buffer.compare(rest, long)).toBe(0);
    expect(await readFile(path, 'utf8')).toBe('hello');
  });

  it('has what lay apart in memory in one piece, and says what it takes and when it was used', async () => {
    const { path, file } = await arrange();

    expect(await file.writeTogether([text('hello'), long, text('!')], 4096)).toBe(long.length + 6);
    await file.touch(new Date('2026-01-02T03:04:05Z'));
    const taken = await file.bytesOnDisk();
    await file.close();

    const expected = Buffer.concat([Buffer.alloc(4096), text('hello'), long, text('!')]);
    expect(Buffer.compare(await readFile(path), expected)).toBe(0);
    expect(await stat(path)).toMatchObject({
      mtime: new Date('2026-01-02T03:04:05Z'),
      blocks: taken / 512,
    });
  });

  it('refuses everything once it is closed, since its number may be that of another file then', async () => {
    const { path, file } = await arrange();
    await file.write(text('ours'), 0);
    await file.close();
    const other = await OpenDescriptor.open(await disk(), `${path}-other`, 'wx+');

    for (const call of [
      () => file.read(new Uint8Array(4), 0),
      () => file.write(text('lost'), 0),
      () => file.write(long, 0),
      () => file.writeTogether([long], 0),
      () => file.bytesOnDisk(),
      () => file.touch(new Date(0)),
      () => file.truncate(0),
      () => file.sync(),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'EBADF' });
    }
    await file.close();
    await file.closeFreeingNothing();
    await other.write(text('theirs'), 0);
    await other.closeFreeingNothing();
    expect(await readFile(`${path}-other`, 'utf8')).toBe('theirs');
  });

  it('ends what is in progress before it is closed', async () => {
    const { path, file } = await arrange();

    const [written] = await Promise.all([file.write(long, 0), file.sync(), file.close()]);

    expect(written).toBe(long.length);
    expect(Buffer.compare(await readFile(path), long)).toBe(0);
  });

  it('tells why it cannot be opened', async () => {
    const { path } = await arrange();

    await expect(OpenDescriptor.open(await disk(), path, 'wx+')).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
