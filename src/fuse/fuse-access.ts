/** Does this machine let this user mount by FUSE at all? */
import { access, constants, readFile } from 'node:fs/promises';
import { systemErrorCode } from '../base/errors.ts';
import { MountError, type Driver, type MountOptions } from './driver.ts';
import { runProgram } from './run-program.ts';

/** On Linux. */
export const FUSE_DEVICE = '/dev/fuse';

/** What the checks look at; a test puts its own here. */
export interface FuseMachine {
  readonly device: string;
  readonly configuration: string;
  readonly isRoot: boolean;
  hasProgram(name: string): Promise<boolean>;
}

/** The machine this process runs on. */
export function localMachine(): FuseMachine {
  return {
    device: FUSE_DEVICE,
    configuration: '/etc/fuse.conf',
    isRoot: process.getuid?.() === 0,
    hasProgram: async (name) => (await runProgram(name, ['-V'])).exit !== 'missing',
  };
}

/** Rejects with a `MountError` (`no-fuse`, `permission`) that says what to install or to ask for. Linux only. */
export async function requireFuse(
  options: Pick<MountOptions, 'allowOther'> & { readonly driver: Driver['name'] },
  machine: FuseMachine,
): Promise<void> {
  await requireDevice(machine.device);
  if (machine.isRoot) return;
  await requireFusermount(options.driver, machine);
  if (options.allowOther && !(await allowsOthers(machine.configuration))) {
    throw new MountError(
      'permission',
      `allow_other is for root only here: add the line "user_allow_other" to ${machine.configuration}, or leave the option out`,
    );
  }
}

/** Rejects with a `MountError` (`no-fuse`). Only root mounts without that program. */
export async function requireFusermount(driver: Driver['name'], machine: FuseMachine): Promise<void> {
  if (await hasFusermount(driver, machine)) return;
  throw new MountError(
    'no-fuse',
    'the program fusermount3 is missing: install the package fuse3 (e.g. "sudo apt-get install fuse3")',
  );
}

/** libfuse 2, which is in the native driver, knows only the old name. */
async function hasFusermount(driver: Driver['name'], machine: FuseMachine): Promise<boolean> {
  if (driver === 'kernel' && (await machine.hasProgram('fusermount3'))) return true;
  return machine.hasProgram('fusermount');
}

/** Rejects with a `MountError` (`no-fuse`, `permission`). */
export async function requireDevice(device: string): Promise<void> {
  try {
    await access(device, constants.R_OK | constants.W_OK);
  } catch (error) {
    const cause = { cause: error };
    if (systemErrorCode(error) === 'ENOENT') {
      throw new MountError(
        'no-fuse',
        `${device} is missing: load the kernel module ("sudo modprobe fuse"), or start the container with "--device ${device} --cap-add SYS_ADMIN"`,
        cause,
      );
    }
    throw new MountError(
      'permission',
      `${device} may not be opened by you: ask root for "chmod 666 ${device}", or mount as root`,
      cause,
    );
  }
}

/** Whether everybody may use `allow_other`, not only root. Rejects with a `MountError` (`permission`). */
export async function allowsOthers(configuration: string): Promise<boolean> {
  try {
    const text = await readFile(configuration, 'utf8');
    return text.split('\n').some((line) => line.trim() === 'user_allow_other');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw new MountError('permission', `${configuration} cannot be read: leave allow_other out`, {
      cause: error,
    });
  }
}
