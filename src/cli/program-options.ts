/** How are words of the command line taken by more than one command? */
import { Option } from 'commander';
import { usageError, type ExitCode } from './command-error.ts';
import { credentialOnCommandLine } from './settings/mount-options.ts';
import { flagName, settingRow, type SettingName } from './settings/settings-table.ts';

/** What a command was given, by the names of its options. */
export type Flags = Readonly<Record<string, unknown>>;

/** How an action says what the command ends with. */
export type Tell = (code: ExitCode) => void;

/** How to reach the service, for commands that do without a mount. */
export const reachingSettings: readonly SettingName[] = [
  'baseUrl',
  'accessKeyId',
  'secretAccessKey',
  'credentialsFile',
  'credentialCommand',
  'caFile',
  'clientCert',
  'clientKey',
  'proxy',
  'config',
  'profile',
  'allowInsecure',
];

/** The flag of a setting. */
export function optionFor(name: SettingName): Option {
  const { short, placeholder, description, fallback, credential } = settingRow(name);
  const flag = flagName(name);
  if (credential === true) {
    // Known only to be refused: whoever tries it learns where the secret belongs.
    return new Option(`${flag} [refused]`).hideHelp().argParser(() => {
      throw credentialOnCommandLine(flag);
    });
  }
  const value = placeholder === undefined ? '' : ` <${placeholder}>`;
  const explained = fallback === undefined ? description : `${description} (default: ${fallback})`;
  return new Option(`${short === undefined ? '' : `-${short}, `}${flag}${value}`, explained);
}

/** An empty word is a variable that a script forgot to set; as a path it would mean the working directory. */
export function requireText(what: string, text: string): string {
  if (text !== '') return text;
  throw usageError(`${what} is empty: was a variable not set?`);
}

/** Of an option that may be given several times. */
export function collected(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** The flag's value, as `requireText` lets it pass. */
export function textOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => requireText(option.long ?? flags, text));
}
