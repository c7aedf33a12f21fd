/** What do `pailfs status` and `refresh` take on the command line? */
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import type { Tell } from '../program-options.ts';
import { withHelpText, type HelpText } from '../screen/help-text.ts';

const STATUS_HELP: HelpText = {
  notes: [
    'States: serving; silent (mounted, but it does not answer); dead (mounted, but its process is gone: mount again); finishing (unmounted, still uploading); ended (gone without saying that everything is stored: see its log; "pailfs uploads" tells; it is shown until that finds nothing left, or until "pailfs unmount").',
    'Below the table is which buckets are not ready to use, and what each mount has not stored; "pailfs uploads" shows all of it. Of a mount that is named it also shows whether the service answers, requests and rates (of the last 10 seconds), where the bytes came from that programs read, caches, keys that cannot be shown, options, uploads under way, and the last warnings and errors.',
    'With --watch, elsewhere than on a terminal and with --json, each look is one JSON document on a line.',
    "Exit codes: 0, also after Ctrl-C; 1 when the mountpoint is none of pailfs's, or no more; 2 wrong usage.",
  ],
  examples: [
    ['pailfs status'],
    ['pailfs status ~/photos --watch', 'again each second'],
    ['pailfs status ~/photos --json'],
  ],
};

const REFRESH_HELP: HelpText = {
  notes: [
    'What was written here and is not stored yet stays as it is. SIGUSR1 to the process of a mount refreshes all of it.',
    'Exit codes: 0; 1 when a path is in no mount of yours (the others are done); 2 wrong usage.',
  ],
  examples: [
    ['pailfs refresh ~/photos/holiday', 'this folder and all below it'],
    ['pailfs refresh ~/photos'],
  ],
};

interface StatusFlags {
  readonly json: boolean;
  readonly watch: boolean;
}

export function addStatusCommands(program: Command, tell: Tell): void {
  withHelpText(program.command('status'), STATUS_HELP)
    .description('show what is mounted, whether it works, and what it does')
    .argument('[mountpoint]', 'only this one, and more about it')
    .option('--watch', 'again each second, until Ctrl-C', false)
    .option('--json', 'for programs', false)
    .action(async (mountpoint: string | undefined, { json, watch }: StatusFlags) => {
      const { runStatus, watchStatus } = await import('./status-command.ts');
      const run = watch ? watchStatus : runStatus;
      tell(await run({ mountpoint, json }, systemClock));
    });
  withHelpText(program.command('refresh'), REFRESH_HELP)
    .description('forget what a mount knows of files and folders: the next look asks the service')
    .argument('<path...>', 'files or folders in a mount, or its mountpoint')
    .option('--json', 'for programs', false)
    .action(async (paths: string[], { json, debug = false }: { json: boolean; debug?: boolean }) => {
      const { runRefresh } = await import('./refresh-command.ts');
      tell(await runRefresh(paths, { json, debug }));
    });
}
