/** Which bucket do the words of a mount command mean, and which directory? */
import { usageError, type CommandError } from '../command-error.ts';
import { suggestion, type NoCommand } from '../screen/near-commands.ts';
import type { MountWish } from './prepare-mount.ts';
import type { MountSettings } from '../settings/settings.ts';

/** Of a word alone, which can be no mount. */
export function noCommand(none: NoCommand): CommandError {
  const { word } = none;
  return usageError(
    `${word} is no command${suggestion(none)}, and there is no mountpoint for the bucket ${word}; "pailfs --help" shows the usage, and all commands`,
  );
}

/** `first` is the bucket, or with `--all-buckets` the directory. Throws a usage error. */
export function mountWish(first: string, second: string | undefined, settings: MountSettings): MountWish {
  if (!settings.allBuckets) {
    // Also what comes of a misspelt command, since "mount" may be left out.
    if (second === undefined) {
      throw usageError(
        `missing required argument 'mountpoint' for the bucket ${first}; "pailfs --help" shows the usage, and all commands`,
      );
    }
    return { bucket: first, mountpoint: second, settings };
  }
  if (second === undefined) return { bucket: null, mountpoint: first, settings };
  throw usageError(
    `all buckets are to be mounted, so no bucket is named: leave out ${first}, or add -o all_buckets=off`,
  );
}
