/** What does a process of a mount that ends late do to the mounts of others? */
import { access, readdir, writeFile } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findMount } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { DRIVERS, type DriverName } from '../support/drivers.ts';
import type { ContendedMessage } from '../support/mounted-contended.ts';
import { mountForTest, type MountedDirectory } from '../support/mounted.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PATIENCE = { timeout: 60_000 };

async function mount(driver: DriverName = 'kernel'): Promise<MountedDirectory> {
  const module = new URL('../support/mounted-contended.ts', import.meta.url);
  const mounted = await mountForTest({ module, driver });
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

/** Unmounted, while what a program has closed is still stored. */
async function unmountedWhileItStores(mounted: MountedDirectory): Promise<void> {
  await mounted.call({ ask: 'hold', operation: 'release', path: '/a' } satisfies ContendedMessage);
  await writeFile(`${mounted.path}/a`, 'text');
  await expect.poll(() => mounted.call({ ask: 'calls' }), PATIENCE).toContain('release /a');
  await unmountDirectory(mounted.path, { lazy: false });
}

it.each(DRIVERS)(
  'that still stores when it was unmounted, and is asked to end, leaves a new mount alone that the kernel gave its number (%s driver)',
  async (driver) => {
    for (let attempt = 0; ; attempt += 1) {
      const first = await mount(driver);
      const number = await numberOf(first);
      await unmountedWhileItStores(first);
      const second = await mount();
      const isSameNumber = (await numberOf(second)) === number;

      const ended = first.unmount();
      await first.unmount({ lazy: true });
      await first.call({ ask: 'let-go' } satisfies ContendedMessage);
      await ended;

      expect(await findMount(second.path)).toBeDefined();
      // Others mount, too, and may have been quicker.
      if (isSameNumber) return;
      expect(attempt).toBeLessThan(20);
    }
  },
);
