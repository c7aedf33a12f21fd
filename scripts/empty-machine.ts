/**
 * Where are pictures of pailfs taken, so that they look alike wherever they are? In namespaces of their own: a home that is empty,
 * no other mount of pailfs, every port free. For root, or whoever may have namespaces.
 */
import { spawnSync } from 'node:child_process';

/** Of the person in the pictures. */
export const HOME = '/mnt/me';
const IS_INSIDE = 'PAILFS_EMPTY_MACHINE';

/** Runs `take` where that is; outside this process only starts `script` again. */
export async function onEmptyMachine(script: string, take: () => Promise<void>): Promise<void> {
  if (process.env[IS_INSIDE] === undefined) process.exitCode = startInside(script);
  else await take();
}

function startInside(script: string): number {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const setup = [
    'umount -l -a -t fuse.pailfs',
    'mount -t tmpfs -o size=100G none /mnt',
    'mount -t tmpfs none /run',
    'ip link set lo up',
    'exec "$@"',
  ].join(' && ');
  const again = [process.execPath, ...process.execArgv, script];
  const { status, error } = spawnSync(
    'unshare',
    [...asRoot, '--mount', '--net', 'sh', '-c', setup, 'sh', ...again],
    {
      env: { ...process.env, [IS_INSIDE]: 'yes' },
      stdio: 'inherit',
    },
  );
  if (error !== undefined) throw error;
  return status ?? 1;
}
