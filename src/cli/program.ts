/**
 * Which commands are there, and what do they take?
 *
 * What a command does is loaded when it runs, here and in the other files of this kind: all of pailfs takes many times as long to load as most
 * commands to do.
 */
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { usageError, type ExitCode } from './command-error.ts';
import { addBucketCommand } from './direct/bucket-program.ts';
import { addObjectCommands } from './direct/object-program.ts';
import { addDoctorCommand } from './doctor/doctor-program.ts';
import { addLinkCommands } from './links/link-program.ts';
import { withHelpText, type HelpText } from './screen/help-text.ts';
import { leftOut, unlessMeant } from './screen/near-commands.ts';
import { mountWish, noCommand } from './mount/mount-wish.ts';
import { collected, optionFor, textOption, type Flags, type Tell } from './program-options.ts';
import { runCommandLine } from './run-command-line.ts';
import type { ServeWish } from './serve-command.ts';
import { secondsValue } from './settings/setting-values.ts';
import { sourcesOf } from './settings/setting-sources.ts';
import { resolveAllBuckets, resolveSettings } from './settings/settings.ts';
import { settingNames } from './settings/settings-table.ts';
import { addStatusCommands } from './status/status-program.ts';
import { addUploadsCommand } from './uploads/uploads-program.ts';

const MOUNT_HELP: HelpText = {
  notes: [
    'Credentials come from the environment (PAILFS_ACCESS_KEY_ID, PAILFS_SECRET_ACCESS_KEY) or from the config file, never from the command line. Every setting can also be given as -o name=value (with "_" for "-"), as PAILFS_NAME in the environment, or in a profile of the config file, in this order of precedence after the flags.',
    'Exit codes: 0 mounted (with -f: unmounted, and everything stored); 1 the service, or a directory of this machine, refuses, or not everything could be stored; 2 wrong usage or settings; 32 the directory cannot be mounted.',
  ],
  examples: [
    ['pailfs mount photos ~/photos', 'in the background; logs to a file'],
    ['pailfs mount photos ~/photos -f', 'in front; Ctrl-C unmounts'],
    ['pailfs mount photos ~/photos --read-only'],
    ['pailfs mount --all-buckets ~/cloud', 'each bucket of the account is a directory'],
    ['pailfs photos /mnt/photos -o ro,allow_other', 'as mount(8) calls it'],
    ['photos /mnt/photos fuse.pailfs _netdev,config=/etc/pailfs.toml 0 0', 'a line of /etc/fstab'],
  ],
};

const HELP: HelpText = {
  notes: [
    'With --json a command prints one JSON document to stdout, whatever comes of it; when it fails as a whole, that is {"error": {"message": "...", "exitCode": 1}}. What a person shall read goes to stderr.',
    '"pailfs help mount" tells more of mount, and so for each command.',
  ],
  examples: [
    ['pailfs mount photos ~/photos', 'the bucket "photos" becomes the directory ~/photos'],
    ['pailfs unmount ~/photos', 'uploads what is left and unmounts'],
    ['pailfs status', 'what is mounted, and whether it works'],
    ['pailfs uploads', 'what is not stored yet, and why'],
    ['pailfs bucket list', 'the buckets of your account'],
    ['pailfs doctor', 'what is wrong here, and what to do about it'],
    ['pailfs link ~/photos/cat.jpg', 'a link under which others can fetch it'],
    ['pailfs serve --bucket photos', 'a small storage service of your own, to try things out'],
  ],
};

const SERVE_HELP: HelpText = {
  notes: [
    'It says where it is and which credentials it takes, and runs until Ctrl-C. --behaviour without a value that it knows lists those that it does.',
    'Exit codes: 0 ended by a signal; 1 it cannot start; 2 wrong usage.',
  ],
  examples: [
    ['pailfs serve --bucket photos'],
    ['pailfs serve --data ~/service --port 9000', 'keeps its files and credentials'],
    ['pailfs serve --bucket photos --behaviour range=ignored'],
  ],
};

const UNMOUNT_HELP: HelpText = {
  notes: [
    "Exit codes: 0 unmounted and everything stored; 1 something could not be stored, nobody knows whether it was, or nothing was mounted; 2 wrong usage; 16 busy; 32 the system refuses, as it does when it is another user's.",
  ],
  examples: [
    ['pailfs unmount ~/photos'],
    [
      'pailfs unmount ~/photos --timeout 60',
      'wait at most a minute for uploads; the next mount goes on with them',
    ],
    ['pailfs unmount ~/photos --leave-pending', 'wait for none'],
    ['pailfs unmount ~/photos --lazy', 'detach although programs still use it'],
  ],
};

/** Runs the command line `words` (without node and script). Prints what there is to print; never rejects. */
export async function run(words: readonly string[]): Promise<ExitCode> {
  const version = await packageVersion();
  return runCommandLine((tell) => buildProgram(version, tell), words);
}

/** The parser; an action tells the exit code. */
export function buildProgram(version: string, tell: Tell): Command {
  const program = withHelpText(new Command('pailfs'), HELP)
    .description('Mount an object storage service as a directory.')
    .version(version)
    .showSuggestionAfterError(true);
  addMountCommand(program, tell);
  addUnmountCommand(program, tell);
  addStatusCommands(program, tell);
  addUploadsCommand(program, tell);
  addBucketCommand(program, tell);
  addObjectCommands(program, tell);
  addDoctorCommand(program, tell);
  addLinkCommands(program, tell);
  addServeCommand(program, tell);
  return withDebug(program);
}

/** Each command takes `--debug`: those that it has no other meaning for, for the errors that end them. */
function withDebug(program: Command): Command {
  for (const command of program.commands) {
    withDebug(command);
    if (!command.options.some(({ long }) => long === '--debug')) {
      command.option('--debug', 'say of an error where in pailfs it comes from');
    }
  }
  return program;
}

function addMountCommand(program: Command, tell: Tell): void {
  const command: Command = withHelpText(program.command('mount', { isDefault: true }), MOUNT_HELP)
    .description('mount a bucket; returns when the directory is ready ("mount" may be left out)')
    .argument('[bucket]', 'name or identifier; left out with --all-buckets')
    .argument('[mountpoint]', 'an empty directory')
    .usage('[options] <bucket> <mountpoint> | --all-buckets <mountpoint>')
    .option('-o <options>', 'settings as mount(8) writes them: a,b=c', collected);
  for (const name of settingNames) command.addOption(optionFor(name));
  command.action(async (first: string | undefined, second: string | undefined, flags: Flags) => {
    // Who gives no word at all wants to know which there are.
    if (program.args.length === 0) program.help({ error: true });
    const sources = sourcesOf(flags);
    if (first === undefined) {
      const missing = (await resolveAllBuckets(sources)) ? 'mountpoint' : 'bucket';
      command.error(`missing required argument '${missing}'`);
    }
    const none = leftOut(program, command);
    // Who is new here, and has set nothing yet, shall hear of the word first.
    if (second === undefined && none?.near !== undefined && !(await resolveAllBuckets(sources)))
      throw noCommand(none);
    const { runMount } = await import('./mount/mount-command.ts');
    try {
      tell(await runMount(mountWish(first, second, await resolveSettings(sources))));
    } catch (error) {
      throw unlessMeant(error, none, second);
    }
  });
}

interface UnmountFlags {
  readonly timeout?: number;
  readonly leavePending: boolean;
  readonly lazy: boolean;
}

function addUnmountCommand(program: Command, tell: Tell): void {
  withHelpText(program.command('unmount'), UNMOUNT_HELP)
    .description('finish uploads and unmount')
    .argument('<mountpoint>', 'the directory')
    .option('--timeout <SECONDS>', 'leave to the next mount what is not stored after this long', parseSeconds)
    .option('--leave-pending', 'leave to the next mount whatever is not stored yet', false)
    .option('--lazy', 'detach even when programs use the mount, and wait until they let go', false)
    .action(async (mountpoint: string, flags: UnmountFlags) => {
      const { runUnmount } = await import('./unmount/unmount-command.ts');
      tell(await runUnmount({ mountpoint, timeout: undefined, ...flags }, systemClock));
    });
}

function addServeCommand(program: Command, tell: Tell): void {
  withHelpText(program.command('serve'), SERVE_HELP)
    .description('run a small storage service on this machine, to try pailfs out')
    .addOption(textOption('--data <DIR>', 'where to keep the files (default: in memory, gone at the end)'))
    .option('--port <NUMBER>', 'port to listen at (default: any free one)', parsePort)
    .option('--bucket <NAME>', 'create this bucket if it is missing (repeatable)', collected)
    .option(
      '--behaviour <NAME=VALUE>',
      'answer differently where the interface is silent (repeatable)',
      collected,
    )
    .action(async (wish: ServeWish) => {
      const { runServe } = await import('./serve-command.ts');
      tell(await runServe(wish));
    });
}

function parseSeconds(text: string): number {
  const seconds = secondsValue.safeParse(text);
  if (seconds.success) return seconds.data;
  const complaint = seconds.error.issues[0]?.message ?? 'must be a number of seconds';
  throw usageError(`--timeout ${complaint} (given: "${text}")`);
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw usageError(`--port must be a number from 0 to 65535 (given: "${text}")`);
}

async function packageVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
