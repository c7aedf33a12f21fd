/** What does a process of a mount that ends late do to the mounts of others? */
import { access, readdir, writeFile } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findMount } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import type { ContendedMessage } from '../support/mounted-contended.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PATIENCE = { timeout: 60_000 };

async function mount(): Promise<MountedDirectory> {
  const mounted = await mountForTest({
    module: new URL('../support/mounted-contended.ts', import.meta.url),
    driver: 'kernel',
  });
  onTestFinished(() => mounted.dispose());
  return mounted;
}

/** The number of its connection. */
async function numberOf({ path }: MountedDirectory): Promise<string> {
  return (await findMount(path))?.device ?? 'none';
}

it('whose process exits after it was unmounted leaves a new mount alone that the kernel gave its number', async () => {
  const folder = await temporaryDirectory();
  for (let attempt = 0; ; attempt += 1) {
    const [standing, until] = [`${folder}/standing-${attempt}`, `${folder}/until-${attempt}`];
    const first = await mount();
    const number = await numberOf(first);
    const exiting = first.call({ ask: 'stand-still-and-exit', standing, until } satisfies ContendedMessage);
    exiting.catch(() => undefined);
    await vi.waitFor(() => access(standing), PATIENCE);

    await unmountDirectory(first.path, { lazy: true });
    const second = await mount();
    await writeFile(until, '');
    await first.ended;

    expect(await readdir(second.path)).toEqual([]);
    // Others mount, too, and may have been quicker.
    if ((await numberOf(second)) === number) return;
    expect(attempt).toBeLessThan(20);
  }
});
