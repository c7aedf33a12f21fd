/**
 * What does the config file say? TOML, one table a profile:
 *
 *     [default]
 *     base_url = "https://storage.example.com"
 *     access_key_id = "..."
 *     secret_access_key = "..."
 */
import { open } from 'node:fs/promises';
import { parse, TomlError } from 'smol-toml';
import { systemErrorCode, inWords } from '../../base/errors.ts';
import { oneLine, usageError } from '../command-error.ts';
import type { RawSettings } from './mount-options.ts';
import { settingNames, settingRow, snakeName } from './settings-table.ts';

const DEFAULT_PROFILE = 'default';
/** Group and others. */
const FOREIGN_PERMISSIONS = 0o077;

export interface ConfigFileChoice {
  readonly path: string;
  /** A person named the file: then it must exist. */
  readonly required: boolean;
  /** The profile a person named; then it must exist. */
  readonly profile: string | undefined;
}

interface FileText {
  readonly text: string;
  readonly mode: number;
}

/** What the file says for this command. */
export interface ConfigFileContent {
  readonly settings: RawSettings;
  /** That its settings are those of profiles that nobody asked for; undefined: there is no file, or a profile counts. */
  readonly passedOver: string | undefined;
}

const NO_CONTENT: ConfigFileContent = { settings: {}, passedOver: undefined };

/** The settings of one profile; none when there is no file. Rejects with a usage error that names the file and the key. */
export async function readConfigFile(choice: ConfigFileChoice): Promise<ConfigFileContent> {
  const { path } = choice;
  const file = await readIfThere(choice);
  if (file === undefined) {
    if (choice.profile === undefined) return NO_CONTENT;
    throw usageError(
      `profile ${choice.profile} was asked for, but there is no config file ${path}: create it`,
    );
  }
  const profiles = parseProfiles(path, file.text);
  const holdsSecret = [...profiles.values()].some((profile) => 'secret_access_key' in profile);
  if (holdsSecret && (file.mode & FOREIGN_PERMISSIONS) !== 0) {
    throw usageError(`config file ${path} holds a secret and other users may read it: run chmod 600 ${path}`);
  }
  const profile = profiles.get(choice.profile ?? DEFAULT_PROFILE);
  if (profile !== undefined) {
    const settings = settingsOf(profile, `config file ${path} [${choice.profile ?? DEFAULT_PROFILE}]`);
    return { settings, passedOver: undefined };
  }
  if (choice.profile === undefined) return { settings: {}, passedOver: passedOver(path, profiles) };
  throw usageError(
    `config file ${path} has no profile ${choice.profile}: it has ${[...profiles.keys()].join(', ') || 'none'}`,
  );
}

function passedOver(path: string, profiles: ReadonlyMap<string, Profile>): string | undefined {
  if (profiles.size === 0) return undefined;
  const names = [...profiles.keys()].join(', ');
  return `config file ${path} has no [${DEFAULT_PROFILE}], but ${names}: choose with --profile`;
}

async function readIfThere(choice: ConfigFileChoice): Promise<FileText | undefined> {
  try {
    const handle = await open(choice.path, 'r');
    try {
      const { mode } = await handle.stat();
      return { text: await handle.readFile('utf8'), mode };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
    if (missing && !choice.required) return undefined;
    const reason = missing ? 'does not exist' : `cannot be read (${inWords(error, choice.path)})`;
    throw usageError(
      `config file ${choice.path} ${reason}: ${choice.required ? 'check --config' : 'make it readable, or name another with --config'}`,
      { cause: error },
    );
  }
}

type Profile = Readonly<Record<string, unknown>>;

function parseProfiles(path: string, text: string): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Profile>();
  for (const [name, table] of Object.entries(parseToml(`config file ${path}`, text))) {
    if (!isTable(table)) {
      throw usageError(
        `config file ${path}: ${name} stands outside a profile: put it under [${DEFAULT_PROFILE}]`,
      );
    }
    profiles.set(name, table);
  }
  return profiles;
}

function isTable(value: unknown): value is Profile {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The table in `text`; `file` names the file in the usage error, which repeats nothing of the text. */
export function parseToml(file: string, text: string): Profile {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Only the first line of the message: the rest quotes the file, which may hold the secret.
    const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n', 1);
    throw usageError(`${file} is not valid TOML: line ${error.line}: ${oneLine(reason)}`);
  }
}

function settingsOf(profile: Profile, origin: string): RawSettings {
  const settings: RawSettings = {};
  for (const [key, value] of Object.entries(profile)) {
    const name = settingNames.find((candidate) => snakeName(candidate) === key);
    if (name === undefined || settingRow(name).notInConfigFile === true) {
      throw usageError(`${origin}: there is no setting ${key}: "pailfs mount --help" lists what there is`);
    }
    settings[name] = { value, origin: `${origin} ${key}` };
  }
  return settings;
}
