/**
 * `mount.fuse.pailfs`: how does mount(8) mount a line of /etc/fstab? It looks for a program of this name in /sbin and calls it with
 * words of its own, which are the same for every file system.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Command } from 'commander';
import { inWords } from '../../base/errors.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { runMount } from './mount-command.ts';
import { withHelpText, type HelpText } from '../screen/help-text.ts';
import { withoutUnknownOptions } from '../settings/mount-options.ts';
import { namedBucket, refusePath } from './named-bucket.ts';
import { collected, type Tell } from '../program-options.ts';
import { runCommandLine } from '../run-command-line.ts';
import { sayToPerson } from '../screen/report.ts';
import { sourcesOf } from '../settings/setting-sources.ts';
import { resolveSettings } from '../settings/settings.ts';

const HELP: HelpText = {
  notes: [
    'For mount(8), which looks for it in /sbin: sudo ln -s "$(command -v mount.fuse.pailfs)" /sbin/',
    'Options are those of "pailfs mount -o"; what says when and by whom to mount (_netdev, noauto, user, x-systemd.automount, comment=...) is for others and is passed over.',
    'Exit codes, as mount(8) has them: 0 mounted; 1 wrong usage; 32 not mounted.',
  ],
  examples: [
    [
      'photos /mnt/photos fuse.pailfs _netdev,config=/etc/pailfs.toml 0 0',
      'a line of /etc/fstab; uid=1000,allow_other in it makes the files those of a user',
    ],
    ['pailfs /mnt/cloud fuse.pailfs all_buckets,config=/etc/pailfs.toml 0 0', 'every bucket of the account'],
    ['mount -t fuse.pailfs photos /mnt/photos -o ro,config=/etc/pailfs.toml'],
  ],
};

/** What mount(8) takes a helper's end for. */
const MOUNT_USAGE = 1;

interface HelperFlags {
  readonly o?: readonly string[];
  readonly s: boolean;
  readonly f: boolean;
  readonly v: boolean;
  readonly N?: string;
}

/** Runs the command line `words`. Prints what there is to print; resolves with the exit code that mount(8) expects; never rejects. */
export async function runMountHelper(words: readonly string[]): Promise<number> {
  const code = await runCommandLine(buildMountHelper, words);
  if (code === exitCodes.done) return code;
  return code === exitCodes.usage ? MOUNT_USAGE : exitCodes.mountFailure;
}

/** The parser; its action tells the exit code. */
export function buildMountHelper(tell: Tell): Command {
  return withHelpText(new Command('mount.fuse.pailfs'), HELP)
    .description('Mount a bucket as mount(8) and /etc/fstab ask for it.')
    .argument('<bucket>', 'name or identifier; any word with all_buckets')
    .argument('<mountpoint>', 'an empty directory')
    .option('-o <OPTIONS>', 'settings: a,b=c', collected)
    .option('-s', 'pass over options that do not exist', false)
    .option('-f', 'only check the settings: mount nothing', false)
    .option('-n', 'do not write /etc/mtab, which pailfs never does', false)
    .option('-v', 'say what is done', false)
    .option('-N <NAMESPACE>', 'mount in this mount namespace: a process id, or a file of /proc')
    .option('-t <TYPE>', 'fuse.pailfs, which is the only one')
    .action(async (source: string, mountpoint: string, flags: HelperFlags) => {
      const wish = { bucket: await namedBucket(source, process.cwd()), mountpoint, flags };
      tell(flags.N === undefined ? await mountForSystem(wish) : await runInNamespace(flags.N, wish));
    });
}

interface HelperWish {
  readonly bucket: string;
  readonly mountpoint: string;
  readonly flags: HelperFlags;
}

async function mountForSystem({ bucket, mountpoint, flags }: HelperWish): Promise<ExitCode> {
  const lists = flags.o ?? [];
  const o = flags.s ? lists.map(withoutUnknownOptions) : lists;
  const settings = await resolveSettings(sourcesOf({ o }));
  if (!settings.allBuckets) refusePath(bucket);
  if (flags.f) return exitCodes.done;
  // mount(8) has no way to name nothing.
  const code = await runMount({ bucket: settings.allBuckets ? null : bucket, mountpoint, settings });
  if (flags.v && code === exitCodes.done) sayToPerson(`${bucket} is mounted on ${mountpoint}`);
  return code;
}

/** Node cannot change its own namespace: nsenter(1) runs this program once more, there and without `-N`. */
async function runInNamespace(
  namespace: string,
  { bucket, mountpoint, flags }: HelperWish,
): Promise<ExitCode> {
  // Whether that can be done is asked first: with 1 ends nsenter that cannot, and the program whose usage is wrong.
  const trial = await enter(namespace, [process.execPath, '--version'], 'pipe');
  if (trial.code !== 0) {
    throw new CommandError(
      exitCodes.mountFailure,
      `-N ${namespace} cannot be entered (${trial.said}): it must be a process id, or a file such as /proc/1/ns/mnt, and only root may`,
    );
  }
  const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
  const switches = (['s', 'f', 'v'] as const).flatMap((name) => (flags[name] ? [`-${name}`] : []));
  const options = (flags.o ?? []).flatMap((list) => ['-o', list]);
  const words = [...switches, ...options, '--', bucket, mountpoint];
  const { code } = await enter(namespace, [...program, ...words], 'inherit');
  // Whatever is wrong, the program there has said so.
  if (code === exitCodes.done) return exitCodes.done;
  return code === MOUNT_USAGE ? exitCodes.usage : exitCodes.mountFailure;
}

interface Entered {
  readonly code: number | null;
  /** On stderr, when that is not this program's. */
  readonly said: string;
}

/** Runs `command` there to its end. Rejects with a `CommandError` when there is no nsenter. */
async function enter(
  namespace: string,
  command: readonly string[],
  output: 'inherit' | 'pipe',
): Promise<Entered> {
  const file = /^\d+$/.test(namespace) ? `/proc/${namespace}/ns/mnt` : namespace;
  const child = spawn('nsenter', [`--mount=${file}`, '--', ...command], {
    stdio: ['ignore', output === 'pipe' ? 'ignore' : output, output],
  });
  let said = '';
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said: said.trim() };
  } catch (error) {
    throw new CommandError(
      exitCodes.mountFailure,
      `-N ${namespace} needs the program nsenter (${inWords(error)}): install the package util-linux`,
      { cause: error },
    );
  }
}
