/** What does the kernel hear of others' changes, and does anybody wait for it? */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContendedMessage } from '../support/mounted-contended.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { shell } from '../support/shell.ts';

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

const ONE_HOUR_MS = 3_600_000;

describe('a mount of the kernel driver whose files others change', () => {
  let mounted: MountedDirectory;
  const inside = (name: string): string => path.join(mounted.path, name);
  const ask = (message: ContendedMessage): Promise<unknown> => mounted.call(message);
  const calls = async (): Promise<string[]> => (await ask({ ask: 'calls' })) as string[];

  /** Resolves when all of `wanted` was asked for since the last `calls`. */
  async function asked(wanted: readonly string[]): Promise<void> {
    const missing = new Set(wanted);
    while (missing.size > 0) for (const call of await calls()) missing.delete(call);
  }

  beforeEach(async () => {
    mounted = await mountForTest({
      module: new URL('../support/mounted-contended.ts', import.meta.url),
      driver: 'kernel',
    });
  });
  afterEach(() => mounted.dispose());

  it('tells the kernel so while a look, a creation and a read there are not answered, and everything else goes on [kernel/told]', async () => {
    await shell(mounted.path, 'mkdir d other; echo known > d/known; echo x > other/x');
    await writeFile(inside('d/read'), Buffer.alloc(3_000_000, 'r'));
    const [folder, file] = [await stat(inside('d')), await stat(inside('d/read'))];
    await ask({ ask: 'drop', node: file.ino, what: 'bytes' });
    await ask({ ask: 'told' });
    const held = ['getAttributes /d/known', 'create /d/new', 'read /d/read'];
    for (const [operation = '', name = ''] of held.map((call) => call.split(' ')))
      await ask({ ask: 'hold', operation, path: name });
    await calls();

    const looking = stat(inside('d/known'));
    const reading = readFile(inside('d/read'));
    await asked(['getAttributes /d/known', 'read /d/read']);
    const creating = writeFile(inside('d/new'), 'new');
    await asked(['create /d/new']);
    for (const name of ['known', 'read', 'new']) await ask({ ask: 'expire', folder: folder.ino, name });
    for (const what of ['attributes', 'bytes'] as const) {
      await ask({ ask: 'drop', node: file.ino, what });
      await ask({ ask: 'drop', node: folder.ino, what });
    }
    const meanwhile = await shell(mounted.path, 'cat other/x; echo y > other/y; ls other; stat -c %F d');
    await ask({ ask: 'let-go' });

    expect(meanwhile).toMatchObject({ exit: 0, output: 'x\nx\ny\ndirectory\n' });
    expect((await looking).size).toBe(6);
    expect((await reading).equals(Buffer.alloc(3_000_000, 'r'))).toBe(true);
    await creating;
    await ask({ ask: 'told' });
    expect(await readdir(inside('d'))).toEqual(['known', 'new', 'read']);
    await mounted.unmount();
    await mounted.closed;
  });

  it('looks a trusted name up again when a listing shows that it leads elsewhere or nowhere [kernel/told]', async () => {
    await ask({ ask: 'trust', milliseconds: ONE_HOUR_MS });
    for (const name of ['same', 'changed', 'gone']) await writeFile(inside(name), name);
    for (const name of ['same', 'changed', 'gone']) await stat(inside(name));
    await ask({ ask: 'replace', path: '/changed', text: 'by another' });
    await ask({ ask: 'remove', path: '/gone' });
    expect((await stat(inside('changed'))).size).toBe(7);

    expect(await readdir(mounted.path)).toEqual(['changed', 'same']);

    // The kernel takes it when it can; nobody waits for that.
    const sizeOf = (name: string): Promise<number | string> =>
      stat(inside(name)).then(({ size }) => size, codeOf);
    while ((await sizeOf('changed')) !== 10);
    while ((await sizeOf('gone')) !== 'ENOENT');
    expect(await readFile(inside('changed'), 'utf8')).toBe('by another');
    await calls();
    await stat(inside('same'));
    expect(await calls()).not.toContain('getAttributes /same');
  });
});

describe.runIf(process.getuid?.() === 0)('what a mount of the kernel driver remembers', () => {
  it('is nothing when the kernel has let go of every file, also of those that were replaced', async () => {
    const mounted = await mountForTest({
      module: new URL('../support/mounted-contended.ts', import.meta.url),
      driver: 'kernel',
    });
    try {
      await shell(
        mounted.path,
        'mkdir a b; for i in $(seq 50); do echo $i > a/$i; done; ls -lR; mv a/1 b/1; rm a/2',
      );
      for (let round = 0; round < 3; round += 1) {
        for (const name of ['3', '4', '5'])
          await mounted.call({ ask: 'replace', path: `/a/${name}`, text: 'other' });
        await shell(mounted.path, 'cat a/* b/*; ls -l a; mv a/3 b/3; mv a/4 a/5; ls -l a b');
      }

      const leftAfterward = async (): Promise<unknown> => {
        await writeFile('/proc/sys/vm/drop_caches', '2');
        return mounted.nodeCount();
      };
      // Whoever else looks around on this machine may hold a name for a moment.
      await expect.poll(leftAfterward, { interval: 200 }).toBe(1);
    } finally {
      await mounted.dispose();
    }
  });
});
