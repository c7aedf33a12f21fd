/** Does a file that was stored here stay one file for programs, where the service names it by its time alone? */
import { appendFile, open, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sharedMount } from '../support/shared-mount.ts';

/** The service is asked again after as long, milliseconds. */
const TTL = 100;

/** What a program reads by its handle from the start, and how large it finds the file. */
async function seenBy(handle: Awaited<ReturnType<typeof open>>): Promise<{ text: string; size: number }> {
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(100), 0, 100, 0);
  return { text: buffer.toString('utf8', 0, bytesRead), size };
}

describe('a file that was stored by the mount, where ETags are no MD5', () => {
  const mount = sharedMount({
    driver: 'kernel',
    store: { behaviours: { etag: 'random' } },
    settings: { metadataTtl: TTL },
  });
  const inside = (name: string): string => path.join(mount().path, name);

  it.each([
    { change: 'appended to', text: 'one\ntwo\n', act: (name: string) => appendFile(name, 'two\n') },
    { change: 'written anew', text: 'another\n', act: (name: string) => writeFile(name, 'another\n') },
    {
      change: 'edited in place',
      text: 'ONE\n',
      act: async (name: string): Promise<void> => {
        const editor = await open(name, 'r+');
        await editor.write('ONE', 0);
        await editor.close();
      },
    },
  ])(
    'is read as it is by who has it open while it is $change [fresh/no-mixing] [write/handles]',
    async ({ change, text, act }) => {
      const name = inside(change);
      await writeFile(name, 'one\n');
      const handle = await open(name, 'r+');
      await seenBy(handle);
      await pause(2 * TTL);

      await act(name);

      expect(await seenBy(handle)).toEqual({ text, size: text.length });
      await handle.write('!', text.length);
      await handle.close();
      expect(await readFile(name, 'utf8')).toBe(`${text}!`);
      expect((await mount().stored(change)).toString()).toBe(`${text}!`);
    },
  );

  it('keeps its inode number when the service is asked again [kernel/versions]', async () => {
    await writeFile(inside('file'), 'bytes');
    const before = await stat(inside('file'));
    await pause(2 * TTL);

    expect((await stat(inside('file'))).ino).toBe(before.ino);
  });
});
