/** Does this machine let this user mount, and will its programs leave the mounts alone? */
import { readFile } from 'node:fs/promises';
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { allowsOthers, requireDevice, requireFusermount, type FuseMachine } from '../../fuse/fuse-access.ts';
import { MOUNT_TYPE } from '../../fuse/mountpoint.ts';
import type { MachineSettings } from '../settings/settings.ts';
import { checked, broken, unknown, warning, well, type Check, type Finding } from './check.ts';

export interface MachineParts {
  readonly machine: FuseMachine;
  /** The configuration of updatedb(8), which need not exist. */
  readonly updatedbFile: string;
  readonly wanted: Pick<MachineSettings, 'allowOther' | 'driver'>;
}

/** Linux only. */
export async function checkMachine(parts: MachineParts): Promise<readonly Check[]> {
  const { machine, updatedbFile, wanted } = parts;
  return [
    await checked('fuse device', async () => {
      await requireDevice(machine.device);
      return well(`${machine.device} can be opened`);
    }),
    await checked('fusermount', async () => {
      if (machine.isRoot) return well('not needed: you are root');
      await requireFusermount(wanted.driver, machine);
      return well('installed');
    }),
    await checked('allow_other', () => checkAllowOther(parts)),
    await checked('updatedb', () => checkUpdatedb(updatedbFile)),
  ];
}

async function checkAllowOther({ machine, wanted }: MachineParts): Promise<Finding> {
  if (machine.isRoot) return well('root may let other users in');
  if (await allowsOthers(machine.configuration)) return well('you may let other users in');
  const remedy = `add the line "user_allow_other" to ${machine.configuration}`;
  return wanted.allowOther
    ? broken(`allow_other is set, but only root may use it here: ${remedy}, or leave the option out`)
    : well(`only root may let other users in; to change that, ${remedy}`);
}

/** It walks through every file system that it is not told to leave out, once a day. */
async function checkUpdatedb(file: string): Promise<Finding> {
  const text = await textOf(file);
  if (text instanceof Error) return unknown(`${file} cannot be read (${inWords(text, file)})`);
  if (text === undefined) return well(`there is no ${file}`);
  const [, types = ''] = /^\s*PRUNEFS\s*=\s*"?([^"\n]*)/m.exec(text) ?? [];
  if (types.split(/\s+/).some((type) => type.toLowerCase() === MOUNT_TYPE)) {
    return well(`leaves ${MOUNT_TYPE} out`);
  }
  return warning(
    `the nightly search for file names may walk through mounts that let other users in: add ${MOUNT_TYPE} to PRUNEFS in ${file}`,
  );
}

async function textOf(file: string): Promise<string | Error | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined || !(error instanceof Error)) throw error;
    return code === 'ENOENT' ? undefined : error;
  }
}
