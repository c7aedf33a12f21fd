/** Which command may a person have meant by a word that is none? "mount" may be left out, so such a word is taken for a bucket. */
import { Command, CommanderError } from 'commander';
import { MountError, type MountErrorKind } from '../../fuse/driver.ts';

/** What another failure is about may be a bucket, whatever it is called. */
const NO_MOUNTPOINT: ReadonlySet<MountErrorKind> = new Set([
  'missing-mountpoint',
  'not-a-directory',
  'already-mounted',
]);

/** What a person has left out, if anything. */
export interface LeftOut {
  /** Taken for a bucket. */
  readonly word: string;
  /** Commands that are nearly called that: `status`, or `one of get, ls`. */
  readonly near: string;
}

/** Undefined when `command` of `program` was named, or when its first word is no command's name even nearly. */
export function leftOut(program: Command, command: Command): LeftOut | undefined {
  const [word] = program.args;
  if (word === undefined || word.startsWith('-') || word === command.name()) return undefined;
  const near = nearTo(
    word,
    program.commands.map((one) => one.name()),
  );
  return near === undefined ? undefined : { word, near };
}

/** What stands behind a word that is told to be no command; empty when none is called nearly that. */
export function suggestion(meant: LeftOut | undefined): string {
  return meant === undefined ? '' : ` (Did you mean ${meant.near}?)`;
}

/** `error`, with the command that may have been meant, where it says that the second word is no directory to mount upon. */
export function withSuggestion(error: unknown, meant: LeftOut | undefined): unknown {
  if (meant === undefined || !(error instanceof MountError) || !NO_MOUNTPOINT.has(error.kind)) return error;
  return new MountError(error.kind, `${error.message}${suggestion(meant)}`, { cause: error });
}

/** The parser suggests only where no command is the default one, and does not say how it measures: so one that has none is asked. */
function nearTo(word: string, names: readonly string[]): string | undefined {
  const asked = new Command().exitOverride().configureOutput({ outputError: () => undefined });
  for (const name of names) asked.command(name);
  try {
    asked.parse([word], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return /\(Did you mean (.+)\?\)/.exec(error.message)?.[1];
  }
}
