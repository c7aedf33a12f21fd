/** What becomes of two commands that mount at one place at once? */
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

/** In a namespace whose mount(8) takes a second, so that both have looked before either has mounted. */
const BOTH = `
  cp "$(command -v mount)" really-mount
  printf '#!/bin/sh\\nsleep 1\\nexec %s/really-mount "$@"\\n' "$PWD" > slowly
  chmod +x slowly
  mount --bind slowly "$(command -v mount)"
  "$@" mount photos mnt > first 2>&1 & "$@" mount photos mnt > second 2>&1
  wait
  cat first second
  grep -c " $PWD/mnt " /proc/self/mountinfo
  while umount -l mnt 2> unmounted; do :; done
`;

// Only root mounts by mount(8).
it.runIf(process.getuid?.() === 0)(
  'one of them mounts, and the other says that there is a mount',
  async () => {
    const at = await CommandLine.open(await startEmbeddedServer());

    const { stdout } = await at.run([], {
      program: ['unshare', '--mount', 'sh', '-c', BOTH, 'sh', ...CommandLine.words],
    });

    expect(stdout).toBe(
      `pailfs: ${at.mountpoint} already has photos (fuse.pailfs) mounted: unmount it first, or choose another directory\n1\n`,
    );
  },
);
