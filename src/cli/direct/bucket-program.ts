/** What does `pailfs bucket` take on the command line? */
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import type { Flags, Tell } from '../program-options.ts';
import { withHelpText, type HelpText } from '../screen/help-text.ts';
import { withServiceOptions, withSession } from './session.ts';

const HELP: HelpText = {
  notes: [
    'Settings and credentials are those of "pailfs mount": environment, or config file.',
    'Exit codes: 0; 1 refused or failed; 2 wrong usage, or nobody there to agree to a delete.',
  ],
  examples: [
    ['pailfs bucket list'],
    ['pailfs bucket create holiday-2026', '3 to 40 small letters, digits and hyphens'],
    ['pailfs bucket info photos --json'],
    ['pailfs bucket delete photos', 'with all its files, for ever; asks for the name again'],
    ['pailfs bucket delete photos --yes', 'for scripts: does not ask'],
  ],
};

/** As `optsWithGlobals` has them: `bucket` itself takes `--debug`, as every command does, and the parser gives it that of those below it. */
interface BucketFlags extends Flags {
  readonly json: boolean;
}

export function addBucketCommand(program: Command, tell: Tell): void {
  const bucket = withHelpText(program.command('bucket'), HELP).description(
    'list, create, show and delete buckets',
  );
  withServiceOptions(bucket.command('list').description('all buckets of the account')).action(
    async (_own: Flags, command: Command) => {
      const flags = command.optsWithGlobals<BucketFlags>();
      const { listBuckets } = await import('./bucket-command.ts');
      tell(await withSession(flags, systemClock, (session) => listBuckets(session, flags.json)));
    },
  );
  withServiceOptions(bucket.command('create').description('create a bucket'))
    .argument('<name>', 'small letters, digits and hyphens')
    .action(async (name: string, _own: Flags, command: Command) => {
      const flags = command.optsWithGlobals<BucketFlags>();
      const { createBucket } = await import('./bucket-command.ts');
      tell(await withSession(flags, systemClock, (session) => createBucket(session, name, flags.json)));
    });
  withServiceOptions(bucket.command('info').description('show one bucket'))
    .argument('<bucket>', 'name or identifier')
    .action(async (wanted: string, _own: Flags, command: Command) => {
      const flags = command.optsWithGlobals<BucketFlags>();
      const { showBucket } = await import('./bucket-command.ts');
      tell(await withSession(flags, systemClock, (session) => showBucket(session, wanted, flags.json)));
    });
  withServiceOptions(bucket.command('delete').description('delete a bucket and every file in it'))
    .argument('<bucket>', 'name or identifier')
    .option('--yes', 'without asking', false)
    .action(async (wanted: string, _own: Flags, command: Command) => {
      const flags = command.optsWithGlobals<BucketFlags & { readonly yes: boolean }>();
      const { deleteBucket } = await import('./bucket-command.ts');
      tell(await withSession(flags, systemClock, (session) => deleteBucket(session, wanted, flags)));
    });
}
