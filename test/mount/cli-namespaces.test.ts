/** What does unmount say while a container, or another program with a table of mounts of its own, still has the mount? */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';
import { shell } from '../support/shell.ts';

/** Resolves with the process's number once it has a copy of the table of mounts. */
async function inNamespaceOfItsOwn(): Promise<number | undefined> {
  const program = spawn('unshare', ['--mount', 'sh', '-c', 'echo ready; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void program.kill());
  await once(program.stdout, 'data');
  return program.pid;
}

// Only root makes namespaces of mounts everywhere.
it.runIf(process.getuid?.() === 0)(
  'who waits is told which process has it, and how it is unmounted there',
  async () => {
    const at = await CommandLine.open(await startEmbeddedServer());
    expect(await at.run(['mount', 'photos', at.mountpoint])).toMatchObject({ code: 0 });
    const pid = await inNamespaceOfItsOwn();
    let told = '';
    const unmounting = at.start(['unmount', at.mountpoint]);
    unmounting.stderr?.on('data', (piece: Buffer) => (told += piece.toString()));
    const ended = once(unmounting, 'close');
    const remedy = `nsenter -t ${pid} -m umount ${at.mountpoint}`;

    await expect
      .poll(() => told)
      .toContain(
        `pailfs: ${at.mountpoint} is unmounted here, and still mounted where process ${pid} (sleep) sees it, as in a container: pailfs waits until that has ended, or for "${remedy}"\n`,
      );

    const { exit } = await shell('/', remedy);
    expect(exit).toBe(0);
    expect(await ended).toEqual([0, null]);
  },
);
