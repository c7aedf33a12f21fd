/** How is a descriptor of /dev/fuse mounted? By mount(8), which inherits it: mount(2) is out of reach from here. Root only. */
import { spawn } from 'node:child_process';
import { systemErrorCode } from '../../base/errors.ts';
import { MountError, type MountOptions } from '../driver.ts';
import { SYSTEM_PATH } from '../run-program.ts';
import { MOUNT_TYPE } from '../mountpoint.ts';

/** The number of the descriptor in mount(8). */
const INHERITED = 3;
const TIME_LIMIT_MS = 20_000;

export interface MountOrder extends Pick<MountOptions, 'source' | 'readOnly' | 'allowOther'> {
  readonly descriptor: number;
  /** Canonical. */
  readonly mountpoint: string;
}

/** Resolves when something is mounted, though it answers nothing yet. Rejects with a `MountError`. */
export async function mountDescriptor(order: MountOrder): Promise<void> {
  const parameters = [
    '-i',
    '-t',
    MOUNT_TYPE,
    '-o',
    mountOptions(order),
    '--',
    order.source,
    order.mountpoint,
  ];
  const { exit, errors } = await runMount(parameters, order.descriptor);
  if (exit === 0) return;
  const reason = errors.trim().split('\n').at(-1) ?? '';
  throw new MountError('failed', `${order.mountpoint} could not be mounted: ${reason || 'mount said no'}`);
}

/** The `-o` of mount(8): numbers and words without a comma. */
export function mountOptions({
  readOnly,
  allowOther,
}: Pick<MountOptions, 'readOnly' | 'allowOther'>): string {
  return [
    `fd=${INHERITED}`,
    'rootmode=40755',
    `user_id=${process.getuid?.() ?? 0}`,
    `group_id=${process.getgid?.() ?? 0}`,
    'default_permissions',
    'nosuid',
    'nodev',
    ...(readOnly ? ['ro'] : []),
    ...(allowOther ? ['allow_other'] : []),
  ].join(',');
}

function runMount(
  parameters: readonly string[],
  descriptor: number,
): Promise<{ readonly exit: number | null; readonly errors: string }> {
  return new Promise((resolve, reject) => {
    const program = spawn('mount', parameters, {
      cwd: '/',
      env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let errors = '';
    program.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    program.once('error', (error) => {
      const isMissing = systemErrorCode(error) === 'ENOENT';
      const message = isMissing ? 'the program mount is missing' : 'the program mount could not be run';
      reject(new MountError(isMissing ? 'no-fuse' : 'failed', message, { cause: error }));
    });
    program.once('close', (exit) => {
      resolve({ exit, errors });
    });
  });
}
