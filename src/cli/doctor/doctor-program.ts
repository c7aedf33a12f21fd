/** What does `pailfs doctor` take on the command line? */
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { withHelpText, type HelpText } from '../screen/help-text.ts';
import { optionFor, reachingSettings, type Flags, type Tell } from '../program-options.ts';
import { sourcesOf } from '../settings/setting-sources.ts';
import type { SettingName } from '../settings/settings-table.ts';

const HELP: HelpText = {
  notes: [
    'States: ok; warning (it works, but could do better); broken; unknown (it could not be found out). Each line says what to do.',
    'The service is only read from. Settings and credentials are those of "pailfs mount".',
    'Exit codes: 0 nothing is broken; 1 something is; 2 wrong usage.',
  ],
  examples: [['pailfs doctor'], ['pailfs doctor --profile work'], ['pailfs doctor --json']],
};

const SETTINGS: readonly SettingName[] = [
  ...reachingSettings,
  'stateDir',
  'cache',
  'cacheDir',
  'allowOther',
  'driver',
  'debug',
];

export function addDoctorCommand(program: Command, tell: Tell): void {
  const command = withHelpText(program.command('doctor'), HELP).description(
    'find out what keeps mounts from working well, and what to do about it',
  );
  for (const name of SETTINGS) command.addOption(optionFor(name));
  command
    .option('--json', 'for programs', false)
    .action(async (flags: Flags & { readonly json: boolean }) => {
      const { runDoctor } = await import('./doctor-command.ts');
      tell(await runDoctor({ sources: sourcesOf(flags), json: flags.json }, systemClock));
    });
}
