/** What do the commands say of a place where `mount --bind` shows a mount of pailfs? */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findMount } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';

async function bound(folder: string): Promise<{ readonly at: CommandLine; readonly place: string }> {
  const at = await CommandLine.open(await startEmbeddedServer());
  const place = join(at.home, 'bound');
  await mkdir(place);
  onTestFinished(async () => {
    if ((await findMount(place)) !== undefined) await unmountDirectory(place, { lazy: true });
  });
  expect(await at.run(['mount', 'photos', at.mountpoint])).toMatchObject({ code: 0 });
  await mkdir(join(at.mountpoint, 'd'));
  const { output } = await shell('/', `mount --bind '${join(at.mountpoint, folder)}' '${place}'`);
  expect(output).toBe('');
  return { at, place };
}

// Only root makes bind mounts.
it.runIf(process.getuid?.() === 0).each(['', 'd'])(
  'status and uploads answer as for the mount, whose folder "%s" it shows, and unmount leaves that alone',
  async (folder) => {
    const { at, place } = await bound(folder);

    const status = await at.run(['status', place, '--json']);
    const uploads = await at.run(['uploads', place, '--json']);
    const unmounted = await at.run(['unmount', place]);

    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject([{ mountpoint: at.mountpoint, state: 'serving' }]);
    expect(JSON.parse(uploads.stdout)).toMatchObject([{ mountpoint: at.mountpoint }]);
    expect(unmounted).toEqual({
      code: 0,
      stdout: '',
      stderr: `pailfs: ${place} is unmounted; it was a bind mount of ${at.mountpoint}, which stays mounted\n`,
    });
    expect(await findMount(place)).toBeUndefined();
    expect(await at.isMounted()).toBe(true);
  },
);

it.runIf(process.getuid?.() === 0)(
  'unmount of the mount that it shows waits for it, and names it',
  async () => {
    const { at, place } = await bound('d');
    let told = '';
    const unmounting = at.start(['unmount', at.mountpoint]);
    unmounting.stderr?.on('data', (piece: Buffer) => (told += piece.toString()));
    await expect
      .poll(() => told)
      .toContain(
        `pailfs: ${at.mountpoint} is unmounted, and still shown elsewhere, which pailfs waits for: umount ${place}\n`,
      );
    const ended = once(unmounting, 'close');
    await unmountDirectory(place, { lazy: false });

    expect(await ended).toEqual([0, null]);
  },
);
