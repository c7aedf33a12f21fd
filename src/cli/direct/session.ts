/** How does a command talk to the service without a mount? With the settings of a mount, for as long as the command takes. */
import type { Command } from 'commander';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { HttpService } from '../../client/http-service.ts';
import type { Bucket } from '../../service/records.ts';
import { optionFor, reachingSettings, type Flags } from '../program-options.ts';
import { sourcesOf } from '../settings/setting-sources.ts';
import { resolveSettings, type MountSettings } from '../settings/settings.ts';
import type { SettingName } from '../settings/settings-table.ts';

/** How to reach the service, and how much to tell about it. */
const SETTINGS: readonly SettingName[] = [...reachingSettings, 'debug'];

/** The service while a command runs. */
export interface Session {
  readonly service: HttpService;
  readonly settings: MountSettings;
  readonly clock: Clock;
  /** Every request and retry with `--debug`, else nothing: what comes to nothing in the end is one line of the command. */
  readonly log: Log;
  /** By name or identifier. Rejects with a `CommandError`. */
  findBucket(wanted: string): Promise<Bucket>;
}

/** Adds the flags that `withSession` reads, and `--json`. */
export function withServiceOptions(command: Command): Command {
  for (const name of SETTINGS) command.addOption(optionFor(name));
  return command.option('--json', 'for programs', false);
}

/** Rejects with a usage error, with a `CommandError` when the service cannot be reached, or with what `action` throws. */
export async function withSession<Result>(
  flags: Flags,
  clock: Clock,
  action: (session: Session) => Promise<Result>,
): Promise<Result> {
  const settings = await resolveSettings(sourcesOf(flags));
  const { baseUrl } = settings;
  // Whoever only asks for help needs none of these (program.ts).
  const [{ openService }, { findBucket }, { logOfCommand }] = await Promise.all([
    import('../connecting/open-service.ts'),
    import('../connecting/connect.ts'),
    import('../logging/log-output.ts'),
  ]);
  const log = logOfCommand(settings.debug);
  const service = await openService(settings, { clock, log });
  try {
    return await action({
      service,
      settings,
      clock,
      log,
      findBucket: (wanted) => findBucket({ service, wanted, baseUrl }),
    });
  } finally {
    await service.close();
  }
}
