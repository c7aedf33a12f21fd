/** `pailfs doctor`: what keeps mounts from working well here, and what to do about each? */
import type { Clock } from '../../base/clock.ts';
import { localMachine } from '../../fuse/fuse-access.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { printJson } from '../screen/stdout.ts';
import { logOfCommand } from '../logging/log-output.ts';
import { resolveMachineSettings, resolveSettings, type SettingSources } from '../settings/settings.ts';
import { screenWidth } from '../screen/screen-text.ts';
import { tableOf, type Column } from '../screen/table.ts';
import { broken, unknown, well, type Check } from './check.ts';
import { checkLocal } from './local-checks.ts';
import { checkMachine } from './machine-checks.ts';
import { checkService, unasked } from './service-checks.ts';

const UPDATEDB_FILE = '/etc/updatedb.conf';

const COLUMNS: readonly Column<Check>[] = [
  { title: 'CHECK', shrinks: false, text: ({ check }) => check },
  { title: 'STATE', shrinks: false, text: ({ state }) => state },
  { title: 'WHAT', shrinks: false, wraps: true, text: ({ says }) => says },
];

export interface DoctorWish {
  readonly sources: SettingSources;
  readonly json: boolean;
}

/** Prints to stdout; 1 when something is broken. Changes nothing on the service. */
export async function runDoctor({ sources, json }: DoctorWish, clock: Clock): Promise<ExitCode> {
  const settings = await settingsOrComplaint(() => resolveSettings(sources));
  const checks = [
    {
      check: 'settings',
      ...(settings instanceof CommandError ? broken(settings.message) : well('complete')),
    },
    ...(await checkThisMachine(sources, clock)),
    ...(settings instanceof CommandError
      ? unasked('not asked without settings', 0)
      : await checkService(settings, { clock, log: logOfCommand(settings.debug) })),
  ];
  if (json) printJson(checks);
  else process.stdout.write(tableOf(COLUMNS, checks, screenWidth()));
  return checks.some(({ state }) => state === 'broken') ? exitCodes.failed : exitCodes.done;
}

async function checkThisMachine(sources: SettingSources, clock: Clock): Promise<readonly Check[]> {
  const wanted = await settingsOrComplaint(() => resolveMachineSettings(sources));
  if (wanted instanceof CommandError) {
    return [{ check: 'this machine', ...unknown('not looked at without settings') }];
  }
  const isLinux = process.platform === 'linux';
  const machine = { machine: localMachine(), updatedbFile: UPDATEDB_FILE, wanted };
  return [...(isLinux ? await checkMachine(machine) : []), ...(await checkLocal(wanted, clock))];
}

async function settingsOrComplaint<Settings>(
  resolve: () => Promise<Settings>,
): Promise<Settings | CommandError> {
  try {
    return await resolve();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
}
