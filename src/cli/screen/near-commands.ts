/** Which command may a person have meant by a word that is none? "mount" may be left out, so such a word is taken for a bucket. */
import { Command, CommanderError } from 'commander';
import { MountError, type MountErrorKind } from '../../fuse/driver.ts';
import { CommandError } from '../command-error.ts';

/** What another failure of a mount is about may be a bucket, whatever it is called. */
const NO_MOUNTPOINT: ReadonlySet<MountErrorKind> = new Set([
  'missing-mountpoint',
  'not-a-directory',
  'already-mounted',
]);

/** What most commands take, and hardly anybody calls a directory: BUCKET:KEY. */
const ADDRESS = /^[^/:]+:/;

/** What mount(8) calls unmounting: people mean that, and hardly anybody calls a bucket so. */
const UMOUNT = 'umount';

export interface NoCommand {
  /** Taken for something else, such as a bucket. */
  readonly word: string;
  /** Commands that are nearly called that: `status`, or `one of link, ls`; undefined: none is. */
  readonly near: string | undefined;
}

/** Undefined when `command` of `program` was named. */
export function leftOut(program: Command, command: Command): NoCommand | undefined {
  const [word] = program.args;
  if (word === undefined || word.startsWith('-') || word === command.name()) return undefined;
  return { word, near: nearTo(word, program) };
}

/** What stands behind a word that is told to be no command; empty where none is nearly called that. */
export function suggestion({ near }: NoCommand): string {
  return near === undefined ? '' : ` (Did you mean ${near}?)`;
}

/**
 * `error` of a mount, which also says that `none` is no command where it is about `mountpoint` and that is no directory to mount upon; or
 * whatever it is about, where the word is that of mount(8).
 */
export function unlessMeant(error: unknown, none: NoCommand | undefined, mountpoint = ''): unknown {
  if (none === undefined || !(error instanceof CommandError || error instanceof MountError)) return error;
  const message = `${none.word} is no command${suggestion(none)}, and ${error.message}`;
  if (error instanceof CommandError)
    return none.word === UMOUNT ? new CommandError(error.exitCode, message, { cause: error }) : error;
  if (none.word !== UMOUNT && !NO_MOUNTPOINT.has(error.kind)) return error;
  if (none.near === undefined && !ADDRESS.test(mountpoint)) return error;
  return new MountError(error.kind, message, { cause: error });
}

/** `error`, which also says that `word`, taken for something else, is no command of `program`, where one is nearly called that. */
export function unlessBelow(error: unknown, word: string | undefined, program: Command): unknown {
  const near = word === undefined ? undefined : nearTo(word, program);
  if (word === undefined || near === undefined || !(error instanceof CommandError)) return error;
  const message = `${word} is no command${suggestion({ word, near })}, and ${error.message}`;
  return new CommandError(error.exitCode, message, { cause: error });
}

/** The parser suggests only where no command is the default one, and does not say how it measures: so one that has none is asked. */
function nearTo(word: string, program: Command): string | undefined {
  // To the parser it is as near to "mount".
  if (word === UMOUNT && program.parent === null) return 'unmount';
  const asked = new Command().exitOverride().configureOutput({ outputError: () => undefined });
  for (const command of program.commands) asked.command(command.name());
  try {
    asked.parse([word], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return /\(Did you mean (.+)\?\)/.exec(error.message)?.[1];
  }
}
