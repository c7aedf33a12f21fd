/** What was asked for in all: flag, then `-o`, then environment, then the profile in the config file, then the default. */
import { join } from 'node:path';
import type { Credentials } from '../../client/credentials.ts';
import { usageError } from '../command-error.ts';
import { credentialReader, layered, refuseSeveralPlaces } from './credential-source.ts';
import type { LocalPlace } from './local-places.ts';
import type { Driver } from '../../fuse/driver.ts';
import { defaultDriver } from '../../fuse/driver-choice.ts';
import { readConfigFile, type ConfigFileContent } from './config-file.ts';
import type { RawSettings, RawValue } from './mount-options.ts';
import { parseMountOptions } from './mount-options.ts';
import { proxyOf } from './proxy.ts';
import { isInsecure } from './setting-values.ts';
import type { SettingName, SettingValues } from './settings-table.ts';
import {
  environmentName,
  flagName,
  settingNames,
  settingRow,
  settingsTable,
  snakeName,
} from './settings-table.ts';

export interface SettingSources {
  /** As the argument parser gives them, by setting name; absent or undefined when not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Each the text after one `-o`. */
  readonly mountOptions: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The XDG directories of this user. */
  readonly configHome: string;
  readonly stateHome: string;
  readonly cacheHome: string;
  readonly uid: number;
  readonly gid: number;
}

/** Every setting decided. Travels to the background process as JSON. */
export type MountSettings = SettingValues & {
  readonly baseUrl: string;
  /** With what the environment says. */
  readonly proxy: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly stateDir: string;
  /** Where that would be if nobody had said where. */
  readonly defaultStateDir: string;
  readonly cacheDir: string;
  readonly driver: Driver['name'];
  readonly uid: number;
  readonly gid: number;
  /** Nobody has said whose the files are to be shown as. */
  readonly makersOwn: boolean;
};

/** Rejects with a usage error that names the setting and where it came from. */
export async function resolveSettings(sources: SettingSources): Promise<MountSettings> {
  const { given, passedOver } = await gather(sources);
  refuseSeveralPlaces(given);
  const values = Object.fromEntries(
    settingNames.map((name) => [name, valueOf(name, given[name])]),
  ) as unknown as SettingValues;
  refuseIdleAdmin(values, onCommandLine(sources));
  const baseUrl = requireSetting('baseUrl', values.baseUrl, passedOver);
  if (isInsecure(baseUrl) && !values.allowInsecure) {
    throw usageError(
      `${given.baseUrl?.origin ?? 'base_url'}: ${baseUrl} is not encrypted and not this machine: use https://, or add --allow-insecure to send credentials and files readable`,
    );
  }
  return {
    ...values,
    ...(await firstCredentials(values, passedOver)),
    baseUrl,
    proxy: proxyOf(
      baseUrl,
      { value: values.proxy, flag: onCommandLine(sources).proxy?.origin },
      sources.environment,
    ),
    stateDir: namedStateDir(values) ?? defaultStateDir(sources),
    defaultStateDir: defaultStateDir(sources),
    cacheDir: values.cacheDir ?? defaultCacheDir(sources),
    driver: values.driver ?? defaultDriver(),
    uid: values.uid ?? sources.uid,
    gid: values.gid ?? sources.gid,
    makersOwn: values.uid === undefined && values.gid === undefined,
  };
}

/** Only where it is written for this one mount: a config file may speak of others, too. */
function refuseIdleAdmin(
  { bucketAdmin, allBuckets }: SettingValues,
  { bucketAdmin: written }: RawSettings,
): void {
  if (written === undefined || !bucketAdmin || allBuckets) return;
  throw usageError(`${written.origin} needs --all-buckets: add that, or leave it out`);
}

/** Here and not where they are used: the process that waits for a person says best what is wrong with them. */
async function firstCredentials(values: SettingValues, passedOver: string | undefined): Promise<Credentials> {
  const read = credentialReader(values);
  if (read !== undefined) return read();
  return {
    accessKeyId: requireSetting('accessKeyId', values.accessKeyId, passedOver),
    secretAccessKey: requireSetting('secretAccessKey', values.secretAccessKey, passedOver),
  };
}

function defaultCacheDir({ cacheHome }: SettingSources): string {
  return join(cacheHome, 'pailfs');
}

export function defaultStateDir({ stateHome }: Pick<SettingSources, 'stateHome'>): string {
  return join(stateHome, 'pailfs');
}

/** Who says where everything that is large goes means unsent bytes too. */
function namedStateDir({
  stateDir,
  cacheDir,
}: Pick<SettingValues, 'stateDir' | 'cacheDir'>): string | undefined {
  return stateDir ?? (cacheDir === undefined ? undefined : stateBesideCache(cacheDir));
}

function stateBesideCache(cacheDir: string): string {
  return join(cacheDir, 'state');
}

/** Where unsent bytes wait, and the setting that a person has moved it with, or can. */
export function statePlaceOf({
  stateDir,
  cacheDir,
}: Pick<MountSettings, 'stateDir' | 'cacheDir'>): LocalPlace {
  const setting = stateDir === stateBesideCache(cacheDir) ? '--cache-dir' : '--state-dir';
  return { what: 'state directory', setting, path: stateDir };
}

/** Where bytes wait. */
export interface StateHomes {
  /** Undefined: nobody says where, so all are meant that mounts have used. */
  readonly named: string | undefined;
  /** What was written to name it: that place, or the one that it lies in. Both are named, or none is. */
  readonly written: LocalPlace | undefined;
  readonly defaultStateDir: string;
}

/** What concerns this machine alone. */
export type MachineSettings = Pick<MountSettings, 'cacheDir' | 'cache' | 'allowOther' | 'driver'> & {
  readonly stateHomes: StateHomes;
};

/** For a command that looks at this machine, whether the service can be reached or not. Rejects with a usage error. */
export async function resolveMachineSettings(sources: SettingSources): Promise<MachineSettings> {
  const { given } = await gather(sources);
  return {
    stateHomes: stateHomesOf(given, sources),
    cacheDir: valueOf('cacheDir', given.cacheDir) ?? defaultCacheDir(sources),
    cache: valueOf('cache', given.cache),
    allowOther: valueOf('allowOther', given.allowOther),
    driver: valueOf('driver', given.driver) ?? defaultDriver(),
  };
}

/** For a command that needs neither service nor credentials. Rejects with a usage error. */
export async function resolveStateHomes(sources: SettingSources): Promise<StateHomes> {
  const { given } = await gather(sources);
  return stateHomesOf(given, sources);
}

/** Whether all buckets are to be mounted, whatever else is not set. Rejects with a usage error. */
export async function resolveAllBuckets(sources: SettingSources): Promise<boolean> {
  const { given } = await gather(sources);
  return valueOf('allBuckets', given.allBuckets);
}

function stateHomesOf(given: RawSettings, sources: SettingSources): StateHomes {
  const stateDir = valueOf('stateDir', given.stateDir);
  const cacheDir = valueOf('cacheDir', given.cacheDir);
  return {
    named: namedStateDir({ stateDir, cacheDir }),
    written: writtenPlace({ stateDir, cacheDir }),
    defaultStateDir: defaultStateDir(sources),
  };
}

function writtenPlace({
  stateDir,
  cacheDir,
}: Pick<SettingValues, 'stateDir' | 'cacheDir'>): LocalPlace | undefined {
  if (stateDir !== undefined) return { what: 'state directory', setting: '--state-dir', path: stateDir };
  if (cacheDir !== undefined) return { what: 'cache directory', setting: '--cache-dir', path: cacheDir };
  return undefined;
}

interface Gathered extends Pick<ConfigFileContent, 'passedOver'> {
  readonly given: RawSettings;
}

async function gather(sources: SettingSources): Promise<Gathered> {
  const commandLineAndEnvironment = layered(fromEnvironment(sources.environment), onCommandLine(sources));
  const config = valueOf('config', commandLineAndEnvironment.config);
  const profile = valueOf('profile', commandLineAndEnvironment.profile);
  const { settings, passedOver } = await readConfigFile({
    path: config ?? join(sources.configHome, 'pailfs', 'config.toml'),
    required: config !== undefined,
    profile,
  });
  return { given: layered(settings, commandLineAndEnvironment), passedOver };
}

function onCommandLine({ mountOptions, flags }: SettingSources): RawSettings {
  return layered(parseMountOptions(mountOptions), fromFlags(flags));
}

function fromEnvironment(environment: SettingSources['environment']): RawSettings {
  const settings: RawSettings = {};
  for (const name of settingNames) {
    const value = environment[environmentName(name)];
    // Set but empty is how scripts unset a variable.
    if (value !== undefined && value !== '') {
      settings[name] = { value, origin: `environment ${environmentName(name)}` };
    }
  }
  return settings;
}

function fromFlags(flags: SettingSources['flags']): RawSettings {
  const settings: RawSettings = {};
  for (const name of settingNames) {
    if (flags[name] !== undefined) settings[name] = { value: flags[name], origin: flagName(name) };
  }
  return settings;
}

function valueOf<Name extends SettingName>(name: Name, given: RawValue | undefined): SettingValues[Name] {
  const parsed = settingsTable[name].schema.safeParse(given?.value);
  if (parsed.success) return parsed.data as SettingValues[Name];
  const complaint = parsed.error.issues[0]?.message ?? 'is not valid';
  const text = asGiven(given?.value);
  const { credential, unprinted } = settingRow(name);
  // An address may hold a password.
  const isSecret = credential === true || unprinted === true || /\/\/[^/]*@/.test(text);
  const shown = isSecret ? '' : ` (given: ${text})`;
  throw usageError(`${given?.origin ?? flagName(name)} ${complaint}${shown}`);
}

/** Not by String(): a table of the config file has no text of its own. JSON in turn has no infinite number, and TOML has. */
function asGiven(value: unknown): string {
  return typeof value === 'number' && !Number.isFinite(value)
    ? String(value).replace('Infinity', 'inf').replace('NaN', 'nan')
    : JSON.stringify(value);
}

/** Who has written it down under another profile looks for it in vain, unless told. */
function requireSetting(
  name: SettingName,
  value: string | undefined,
  passedOver: string | undefined,
): string {
  if (value !== undefined && value !== '') return value;
  const isCredential = settingRow(name).credential === true;
  const flag = isCredential ? '' : `give ${flagName(name)}, `;
  const otherwise = isCredential ? '; or give --credentials-file or --credential-command' : '';
  const ending = passedOver === undefined ? otherwise : `${otherwise} (${passedOver})`;
  throw usageError(
    `${settingRow(name).description} is not set: ${flag}set ${environmentName(name)}, or ${snakeName(name)} in the config file${ending}`,
  );
}
