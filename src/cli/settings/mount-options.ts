/** What does `-o a,b=c` ask for? Our own settings by name, and what mount(8) adds for everybody. */
import { usageError } from '../command-error.ts';
import type { SettingName } from './settings-table.ts';
import { settingNames, settingRow, snakeName } from './settings-table.ts';

export interface RawValue {
  readonly value: unknown;
  /** Where it was set, for an error's text. */
  readonly origin: string;
}

export type RawSettings = Partial<Record<SettingName, RawValue>>;

/** Say how and when to mount, not what: mount(8), systemd and fstab know them. */
const STANDARD_OPTIONS = new Set([
  ...['rw', 'defaults', '_netdev', 'auto', 'noauto', 'nofail', 'user', 'nouser', 'users', 'owner', 'group'],
  ...['exec', 'suid', 'nosuid', 'dev', 'nodev', 'async', 'sync', 'dirsync', 'remount', 'silent', 'loud'],
  ...[
    'atime',
    'noatime',
    'diratime',
    'nodiratime',
    'relatime',
    'norelatime',
    'strictatime',
    'lazytime',
    'nolazytime',
  ],
  ...['iversion', 'noiversion', 'mand', 'nomand', 'nosymfollow', 'fsname', 'subtype', 'comment', 'context'],
]);

/** Rejects with a usage error that names an option which does not exist or may not stand on a command line. */
export function parseMountOptions(lists: readonly string[]): RawSettings {
  const settings: RawSettings = {};
  const options = lists.flatMap(splitAtCommas);
  // First of all: beside it mount(8) gives what it reads of the mount that is there, which are no settings.
  if (options.includes('remount')) {
    throw usageError('the options of a mount cannot be changed: unmount it, and mount it again with others');
  }
  for (const option of options) {
    const equals = option.indexOf('=');
    const key = equals < 0 ? option : option.slice(0, equals);
    const value = equals < 0 ? undefined : option.slice(equals + 1);
    // The last of `ro` and `rw` counts; `rw` alone is what mount(8) adds unasked, so it overrides nothing else.
    if (key === 'rw') delete settings.readOnly;
    if (key === 'exec') delete settings.noexec;
    if (key === '' || isStandard(key)) continue;
    const name = settingNamed(key);
    settings[name] = { value: requireValue(name, key, value), origin: `-o ${key}` };
  }
  return settings;
}

/** What is left of a list when the options that nobody here knows are taken out: what mount(8) calls sloppy. */
export function withoutUnknownOptions(list: string): string {
  const known = splitAtCommas(list).filter((option) => {
    const [key = ''] = option.split('=', 1);
    return isStandard(key) || findSetting(key) !== undefined;
  });
  return known.map((option) => option.replaceAll(/[\\,]/g, String.raw`\$&`)).join(',');
}

/** A comma inside a value is written `\,`, as libfuse reads it. */
function splitAtCommas(list: string): string[] {
  return (list.match(/(?:\\.|[^\\,])+/gs) ?? []).map((option) => option.replaceAll(/\\(.)/gs, '$1'));
}

function isStandard(key: string): boolean {
  return STANDARD_OPTIONS.has(key) || /^x-/i.test(key);
}

function findSetting(key: string): SettingName | undefined {
  return settingNames.find(
    (candidate) => snakeName(candidate) === key || settingRow(candidate).aliases?.includes(key) === true,
  );
}

function settingNamed(key: string): SettingName {
  const name = findSetting(key);
  if (name === undefined) {
    throw usageError(
      `unknown option -o ${key}: "pailfs mount --help" lists what there is (write "_" for "-")`,
    );
  }
  if (settingRow(name).credential === true) throw credentialOnCommandLine(`-o ${key}`);
  return name;
}

function requireValue(name: SettingName, key: string, value: string | undefined): unknown {
  if (value !== undefined) return value;
  const { placeholder } = settingRow(name);
  if (placeholder === undefined) return true;
  throw usageError(`-o ${key} needs a value: -o ${key}=${placeholder}`);
}

/** The refusal of a secret where `ps` would show it. Repeats no value. */
export function credentialOnCommandLine(option: string): Error {
  return usageError(
    `${option} is refused: a command line can be read by every user of this machine; set PAILFS_ACCESS_KEY_ID and PAILFS_SECRET_ACCESS_KEY in the environment, or access_key_id and secret_access_key in the config file`,
  );
}
