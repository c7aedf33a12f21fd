/** What do `pailfs link`, `publish` and `unpublish` take on the command line? */
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import type { Visibility } from '../../service/records.ts';
import type { ExitCode } from '../command-error.ts';
import type { Flags, Tell } from '../program-options.ts';
import { withHelpText, type HelpText } from '../screen/help-text.ts';
import { withServiceOptions, withSession, type Session } from '../direct/session.ts';
import type { LinkWish } from './link-command.ts';

const ENDING = [
  'Each PATH is in a mount of yours, or is BUCKET:KEY, which asks the service with the settings of "pailfs mount" and needs no mount. A file here whose name has a colon is ./NAME.',
  'Exit codes: 0; 1 something was refused or failed (the others are done); 2 wrong usage.',
];

const LINK_HELP: HelpText = {
  notes: [
    'One link a line: permanent if the file is public, else for a while (stderr says how long).',
    ...ENDING,
  ],
  examples: [
    ['pailfs link ~/photos/cat.jpg'],
    ['pailfs link -r photos:holiday/'],
    ['pailfs link --json ~/photos/cat.jpg', 'with visibility and expiry'],
  ],
};

const PUBLISH_HELP: HelpText = {
  notes: ENDING,
  examples: [
    ['pailfs publish ~/photos/cat.jpg', 'anybody who has the link may fetch it from now on'],
    ['pailfs publish -r ~/photos/holiday', 'each file in it'],
  ],
};

const UNPUBLISH_HELP: HelpText = {
  notes: ['The link that was public works for up to about a minute more.', ...ENDING],
  examples: [['pailfs unpublish ~/photos/cat.jpg'], ['pailfs unpublish -r photos:holiday/']],
};

export function addLinkCommands(program: Command, tell: Tell): void {
  const link = 'print links under which files can be fetched';
  withPaths(program.command('link').description(link), LINK_HELP).action(
    runningOn(tell, async (session, words, wish) => {
      const { runLink } = await import('./link-command.ts');
      return runLink(session, words, wish);
    }),
  );
  const publish = 'make files public, and print their links';
  withPaths(program.command('publish').description(publish), PUBLISH_HELP).action(
    runningOn(tell, changingTo('public')),
  );
  const unpublish = 'make files private';
  withPaths(program.command('unpublish').description(unpublish), UNPUBLISH_HELP).action(
    runningOn(tell, changingTo('private')),
  );
}

function withPaths(command: Command, help: HelpText): Command {
  return withServiceOptions(withHelpText(command, help))
    .argument('<path...>', 'files in a mount, or BUCKET:KEY; with -r folders, too')
    .option('-r, --recursive', 'folders: all files below them', false);
}

type Run = (session: Session | undefined, words: readonly string[], wish: LinkWish) => Promise<ExitCode>;

function changingTo(visibility: Visibility): Run {
  return async (session, words, wish) => {
    const { runVisibility } = await import('./link-command.ts');
    return runVisibility(session, words, { ...wish, visibility });
  };
}

/** The service is asked directly only where a word names a bucket: a mount has settings of its own. */
function runningOn(tell: Tell, run: Run): (words: string[], flags: Flags & LinkWish) => Promise<void> {
  return async (words, flags) => {
    const { parseAddress } = await import('../direct/object-address.ts');
    const isDirect = words.some((word) => parseAddress(word) !== undefined);
    tell(
      isDirect
        ? await withSession(flags, systemClock, (session) => run(session, words, flags))
        : await run(undefined, words, flags),
    );
  };
}
