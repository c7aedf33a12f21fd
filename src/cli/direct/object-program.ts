/** What do `pailfs ls`, `put`, `get` and `rm` take on the command line? */
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { withHelpText, type HelpText } from '../screen/help-text.ts';
import { optionFor, type Flags, type Tell } from '../program-options.ts';
import { withServiceOptions, withSession } from './session.ts';

const WORDS = [
  'BUCKET is a name or an identifier; KEY is taken byte by byte, also where no mount can show it.',
  'Settings and credentials are those of "pailfs mount": environment, or config file.',
];

const FOLDERS = 'Whole folders: mount the bucket and use cp -r, or rsync.';

const ENDING = [
  ...WORDS,
  'Exit codes: 0; 1 something was refused or failed (the others are done); 2 wrong usage.',
];

const LS_HELP: HelpText = {
  notes: [
    'Names are shown with "?" for what would move the cursor, end the line or turn the direction of reading; --json has them as they are.',
    ...ENDING,
  ],
  examples: [
    ['pailfs ls photos', 'names, those of folders with a slash at the end'],
    ['pailfs ls -l photos:holiday/', 'sizes and times, too'],
  ],
};

const PUT_HELP: HelpText = {
  notes: [
    'A file that is replaced keeps its visibility (--visibility private or public sets another).',
    FOLDERS,
    ...ENDING,
  ],
  examples: [
    ['pailfs put cat.jpg photos:', 'under its own name'],
    ['pailfs put *.jpg photos:holiday/'],
    ['date | pailfs put - photos:now.txt', 'from stdin'],
  ],
};

const GET_HELP: HelpText = {
  notes: [
    'Bytes wait in FILE.part (where that is too long a name, in one of its own) until all are there. When the command is interrupted, the same command goes on, if the file is still the same.',
    FOLDERS,
    ...ENDING,
  ],
  examples: [
    ['pailfs get photos:cat.jpg .', 'into this directory'],
    ['pailfs get photos:a photos:b /tmp'],
    ['pailfs get photos:now.txt -', 'to stdout'],
  ],
};

const RM_HELP: HelpText = {
  notes: [
    'Ctrl-C ends it after the requests under way, and says how many files were deleted; a second one ends it at once.',
    ...WORDS,
    'Exit codes: 0; 1 something was refused or failed (the others are done); 2 wrong usage, or nobody there to agree to a delete.',
  ],
  examples: [
    ['pailfs rm photos:a.txt photos:b.txt'],
    ['pailfs rm -r photos:holiday/', 'with all that is in it; asks first'],
    ['pailfs rm -r --yes photos:holiday/', 'for scripts: does not ask'],
  ],
};

export function addObjectCommands(program: Command, tell: Tell): void {
  addLs(program, tell);
  addPut(program, tell);
  addGet(program, tell);
  addRm(program, tell);
}

function addLs(program: Command, tell: Tell): void {
  withServiceOptions(
    withHelpText(program.command('ls'), LS_HELP).description('list a bucket or a folder in it'),
  )
    .argument('<bucket:key...>', 'bucket, or folder or file in it')
    .option('-l, --long', 'with sizes and times', false)
    .action(async (words: string[], flags: Flags & { readonly long: boolean; readonly json: boolean }) => {
      const { runLs } = await import('./ls-command.ts');
      tell(await withSession(flags, systemClock, (session) => runLs(session, words, flags)));
    });
}

function addPut(program: Command, tell: Tell): void {
  withServiceOptions(
    withHelpText(program.command('put'), PUT_HELP).description('store files of this machine, or stdin'),
  )
    .argument('<file...>', 'files ("-" is stdin), then BUCKET:KEY')
    .addOption(optionFor('visibility'))
    .action(async (words: string[], flags: Flags & { readonly json: boolean }) => {
      const { runPut } = await import('./put-command.ts');
      tell(await withSession(flags, systemClock, (session) => runPut(session, words, flags.json)));
    });
}

function addGet(program: Command, tell: Tell): void {
  withServiceOptions(withHelpText(program.command('get'), GET_HELP).description('fetch files'))
    .argument('<bucket:key...>', 'files, then where to: file, directory, or "-" for stdout')
    .action(async (words: string[], flags: Flags & { readonly json: boolean }) => {
      const { runGet } = await import('./get-command.ts');
      tell(await withSession(flags, systemClock, (session) => runGet(session, words, flags.json)));
    });
}

function addRm(program: Command, tell: Tell): void {
  withServiceOptions(
    withHelpText(program.command('rm'), RM_HELP).description('delete files, or whole folders'),
  )
    .argument('<bucket:key...>', 'files; with -r folders, too')
    .option('-r, --recursive', 'folders with all that is in them; asks first', false)
    .option('--yes', 'without asking', false)
    .action(
      async (
        words: string[],
        flags: Flags & { readonly recursive: boolean; readonly yes: boolean; readonly json: boolean },
      ) => {
        const { runRm } = await import('./rm-command.ts');
        tell(await withSession(flags, systemClock, (session) => runRm(session, words, flags)));
      },
    );
}
