/** What does `pailfs uploads` take on the command line? */
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { withHelpText, type HelpText } from '../screen/help-text.ts';
import { unlessBelow } from '../screen/near-commands.ts';
import { optionFor, reachingSettings, textOption, type Flags, type Tell } from '../program-options.ts';
import { sourcesOf } from '../settings/setting-sources.ts';
import { resolveSettings, resolveStateHomes } from '../settings/settings.ts';
import type { SettingName } from '../settings/settings-table.ts';
import type { UploadsWish } from './uploads-command.ts';

const HELP: HelpText = {
  notes: [
    'States: open (a program writes it), queued, uploading, end unknown (it may have arrived), failed (it is tried again), set aside (refused, or half a file: only you can decide), unreadable (its name is lost), local (a scratch file of a program), going on, gone (somebody has deleted its bytes; the next mount forgets it).',
    'Where no mount runs, what mounts have left is listed, exported and discarded all the same; "retry" then needs the settings of that mount (environment, or config file), and stores all that a mount would store by itself, too.',
    'Also found is what mounts have left that had a --state-dir or --cache-dir of their own; with one of these here, or in the environment or the config file, only that place is looked at, and must be there. Another that is not there, as a disk that is not plugged in, is named on stderr.',
    'Exit codes: 0; 1 something could not be done (the others are done), or one of the paths and IDs means nothing that waits, or may mean several (then nothing is done); 2 wrong usage or settings, or nobody there to agree to a discard.',
  ],
  examples: [
    ['pailfs uploads', 'all that is not stored, of all mounts'],
    ['pailfs uploads ~/photos', 'of one'],
    ['pailfs uploads retry', 'try everything again, but for half files'],
    ['pailfs uploads retry 3f2a91c0', 'this one, by its ID; or by its path: notes.txt'],
    ['pailfs uploads export ~/rescued', 'copy the bytes to ordinary files'],
    ['pailfs uploads discard 3f2a91c0', 'delete them (asks first)'],
  ],
};

/** Where to look, and how to reach a service where no mount runs. */
const SETTINGS: readonly SettingName[] = [...reachingSettings, 'stateDir', 'cacheDir'];

export function addUploadsCommand(program: Command, tell: Tell): void {
  const uploads = withHelpText(program.command('uploads'), HELP)
    .description('show what is not stored yet; store, export or discard it')
    .argument('[mountpoint]', 'only of this mount');
  withCommonOptions(uploads).action(async (mountpoint: string | undefined, flags: Flags) => {
    const { listUploads } = await import('./uploads-command.ts');
    const wish = await wishOf({ ...flags, mount: mountpoint }, []);
    tell(
      await listUploads(wish).catch((error: unknown) => {
        throw unlessBelow(error, mountpoint, uploads);
      }),
    );
  });
  const words = ['[what...]', 'paths or IDs; without any: all'] as const;
  addAction(uploads, 'retry', 'try to store it now')
    .argument(...words)
    .action(async (what: string[], _own: Flags, command: Command) => {
      const flags = command.optsWithGlobals();
      const settingsFor = (baseUrl: string) => resolveSettings(sourcesOf({ ...flags, baseUrl }));
      const { retryUploads } = await import('./uploads-command.ts');
      tell(await retryUploads(await wishOf(flags, what), settingsFor, systemClock));
    });
  addAction(uploads, 'export', 'copy the bytes to ordinary files')
    .argument('<directory>', 'where to; nothing that is there is replaced')
    .argument(...words)
    .action(async (directory: string, what: string[], _own: Flags, command: Command) => {
      const { exportUploads } = await import('./uploads-command.ts');
      tell(await exportUploads(await wishOf(command.optsWithGlobals(), what), directory));
    });
  addAction(uploads, 'discard', 'delete the bytes, which only this machine has')
    .argument('[what...]', 'paths or IDs')
    .option('--all', 'all that is not stored', false)
    .option('--yes', 'without asking', false)
    .action(async (what: string[], _own: Flags, command: Command) => {
      const flags = command.optsWithGlobals<{ all: boolean; yes: boolean }>();
      const wish = await wishOf(flags, what);
      const { discardUploads } = await import('./uploads-command.ts');
      tell(await discardUploads({ ...wish, all: flags.all, yes: flags.yes }, systemClock));
    });
}

function addAction(uploads: Command, name: string, description: string): Command {
  const command = uploads.command(name).description(description);
  return withCommonOptions(command).addOption(textOption('--mount <MOUNTPOINT>', 'only of this mount'));
}

function withCommonOptions(command: Command): Command {
  for (const name of SETTINGS) command.addOption(optionFor(name));
  return command.option('--json', 'for programs', false);
}

async function wishOf(flags: Flags, words: readonly string[]): Promise<UploadsWish> {
  const search = {
    mountpoint: flags['mount'] as string | undefined,
    homes: await resolveStateHomes(sourcesOf(flags)),
    clock: systemClock,
  };
  return { search, words, json: flags['json'] === true, debug: flags['debug'] === true };
}
