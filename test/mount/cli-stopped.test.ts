/** What becomes of commands where the process of a mount is stopped, as by a debugger, or hangs? */
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

it('mounting there again fails, and unmounting says how it is detached; neither waits for the process', async () => {
  const at = await CommandLine.open(await startEmbeddedServer());
  const mount = await at.mountInFront(['photos', at.mountpoint]);
  mount.signal('SIGSTOP');

  const again = await at.run(['mount', 'photos', at.mountpoint]);
  const unmounted = await at.run(['unmount', '--timeout', '1', at.mountpoint]);

  mount.signal('SIGCONT');
  expect(again).toMatchObject({ code: 32, stderr: expect.stringContaining('already has photos') as string });
  expect(unmounted).toMatchObject({
    code: 32,
    stderr: `pailfs: ${at.mountpoint} cannot be unmounted, since its process does not answer: "pailfs unmount --lazy" detaches it\n`,
  });
});

it('unmounting says what it waits for, and goes on once the process does', async () => {
  const at = await CommandLine.open(await startEmbeddedServer());
  const mount = await at.mountInFront(['photos', at.mountpoint]);
  mount.signal('SIGSTOP');
  let told = '';
  const unmounting = at.start(['unmount', at.mountpoint]);
  unmounting.stderr?.on('data', (piece: Buffer) => (told += piece.toString()));
  const ended = once(unmounting, 'close');

  await expect
    .poll(() => told)
    .toBe(
      `pailfs: ${at.mountpoint} is not unmounted yet: the process that serves it does not answer the kernel; "pailfs unmount --lazy" would detach it\n`,
    );
  mount.signal('SIGCONT');

  expect(await ended).toEqual([0, null]);
});

it('refresh, link, publish and unpublish say that it does not answer, of the mount and of what is in it', async () => {
  const at = await CommandLine.open(await startEmbeddedServer());
  const mount = await at.mountInFront(['photos', at.mountpoint]);
  await writeFile(join(at.mountpoint, 'f'), 'x');
  await symlink(at.mountpoint, join(at.home, 'symlink'));
  mount.signal('SIGSTOP');

  const [refreshed, below, link, published, unpublished] = await Promise.all([
    at.run(['refresh', 'mnt']),
    at.run(['refresh', 'mnt/never/looked/at']),
    at.run(['link', 'mnt/f']),
    at.run(['publish', '-r', 'mnt']),
    at.run(['unpublish', '-r', 'symlink']),
  ]);

  mount.signal('SIGCONT');
  const why = 'the process that serves the mount does not answer';
  const silent = (line: string): object => ({ code: 1, stdout: '', stderr: `pailfs: ${line}: ${why}\n` });
  expect(refreshed).toMatchObject(silent('mnt is not refreshed'));
  expect(below).toMatchObject(silent('mnt/never/looked/at is not refreshed'));
  expect(link).toMatchObject(silent('mnt/f has no link'));
  expect(published).toMatchObject(silent('mnt is not published'));
  expect(unpublished).toMatchObject(silent('symlink is not made private'));
});

it('they say so, and status and uploads answer, where only a symbolic link outside leads into it', async () => {
  const at = await CommandLine.open(await startEmbeddedServer());
  const mount = await at.mountInFront(['photos', at.mountpoint]);
  await symlink('mnt', join(at.home, 'to-mount'));
  await symlink('to-mount/never/looked/at', join(at.home, 'inside'));
  mount.signal('SIGSTOP');

  const [refreshed, link, published, unpublished, status, uploads] = await Promise.all([
    at.run(['refresh', 'inside']),
    at.run(['link', 'inside']),
    at.run(['publish', '-r', 'inside']),
    at.run(['unpublish', 'inside/below']),
    at.run(['status', 'inside']),
    at.run(['uploads', 'inside']),
  ]);

  mount.signal('SIGCONT');
  const why = 'the process that serves the mount does not answer';
  const silent = (line: string): object => ({ code: 1, stdout: '', stderr: `pailfs: ${line}: ${why}\n` });
  expect(refreshed).toMatchObject(silent('inside is not refreshed'));
  expect(link).toMatchObject(silent('inside has no link'));
  expect(published).toMatchObject(silent('inside is not published'));
  expect(unpublished).toMatchObject(silent('inside/below is not made private'));
  const none = expect.stringContaining('inside is no mount of pailfs') as string;
  expect(status).toMatchObject({ code: 1, stderr: none });
  expect(uploads).toMatchObject({ code: 1, stderr: none });
});
