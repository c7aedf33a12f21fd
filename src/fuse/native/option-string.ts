/**
 * Which mount options does libfuse 2.9 get? Only ones that are known to be accepted: an unknown one makes libfuse give up
 * *after* the kernel has mounted, and then every program that looks there hangs.
 */
import { MountError, type MountOptions } from '../driver.ts';

/** The addon cuts what is longer, silently. */
const LONGEST_OPTION_STRING = 1023;

const FIXED_OPTIONS = [
  // 128 KiB a write instead of 4 KiB: twenty times as fast.
  'big_writes',
  // The default of 12 makes readers wait for each other.
  'max_background=128',
  // Else O_TRUNC comes as a truncate of its own, before the open.
  'atomic_o_trunc',
  // libfuse 2.9 offers no way to take back what the kernel was told, so it is told to trust nothing.
  'entry_timeout=0',
  'attr_timeout=0',
  'negative_timeout=0',
  'subtype=pailfs',
  'default_permissions',
] as const;

/** The one parameter libfuse gets. Throws a `MountError` (`failed`) when the source cannot be expressed. */
export function nativeOptionString(
  options: Pick<MountOptions, 'source' | 'readOnly' | 'allowOther' | 'noexec'>,
): string {
  const text = [
    ...FIXED_OPTIONS,
    ...(options.readOnly ? ['ro'] : []),
    ...(options.noexec === true ? ['noexec'] : []),
    ...(options.allowOther ? ['allow_other'] : []),
    `fsname=${checkedSource(options.source)}`,
  ].join(',');
  const optionString = `-o${text}`;
  if (Buffer.byteLength(optionString) > LONGEST_OPTION_STRING) {
    throw new MountError('failed', 'the name of the mount source is too long: choose one below 700 bytes');
  }
  return optionString;
}

/** A comma would begin another option, and a backslash escape the next character. */
function checkedSource(source: string): string {
  if (source === '' || /[,\\\p{Cc}]/u.test(source)) {
    throw new MountError(
      'failed',
      `the mount source ${JSON.stringify(source)} cannot be shown: it must not be empty nor contain a comma, a backslash or a control character`,
    );
  }
  return source;
}
