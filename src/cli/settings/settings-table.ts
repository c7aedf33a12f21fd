/**
 * Which settings are there? This one table makes the flags, the `-o` options, the environment variables and the keys of the
 * config file: `metadataTtl` is `--metadata-ttl`, `-o metadata_ttl`, `PAILFS_METADATA_TTL` and `metadata_ttl`.
 */
import { z } from 'zod';
import { accessKeyIdValue } from './credential-document.ts';
import { proxyValue } from './proxy.ts';
import {
  baseUrlValue,
  commandValue,
  countValue,
  idValue,
  onOffValue,
  pathValue,
  secondsText,
  secondsValue,
  sizeText,
  sizeValue,
  switchValue,
  umaskText,
  umaskValue,
} from './setting-values.ts';

interface SettingRow {
  /** Takes text, a number or a boolean; `undefined` when set nowhere. */
  readonly schema: z.ZodType;
  readonly description: string;
  /** What holds when nobody sets it, in words; absent: nothing does, or for a switch: off. */
  readonly fallback?: string;
  /** What the value is called in `--help`; absent for a switch. */
  readonly placeholder?: string;
  /** A one-letter flag. */
  readonly short?: string;
  /** Other names after `-o`. */
  readonly aliases?: readonly string[];
  /** Never on the command line, where every user of the machine could read it; never printed. */
  readonly credential?: true;
  /** Its value may hold a secret: it is not shown. */
  readonly unprinted?: true;
  /** The value as a person writes it, where that differs. */
  readonly written?: (value: number) => string;
  /** Says where the config file is, so it cannot stand in it. */
  readonly notInConfigFile?: true;
}

const ENVIRONMENT_PREFIX = 'PAILFS_';
const DEFAULT_METADATA_TTL_MS = 10_000;
/** Room for the read-ahead windows of a few readers on a small machine. */
const DEFAULT_MEMORY_LIMIT_BYTES = 128 * 1024 * 1024;
const DEFAULT_CACHE_SIZE_BYTES = 10 * 1024 ** 3;
const DEFAULT_RENAME_LIMIT = 10_000;
const DEFAULT_UMASK = 0o022;

export const settingsTable = {
  baseUrl: {
    schema: baseUrlValue.optional(),
    placeholder: 'URL',
    description: 'address of the storage service',
  },
  accessKeyId: {
    schema: accessKeyIdValue.optional(),
    credential: true,
    description: 'access key id',
  },
  secretAccessKey: {
    schema: z.string('must be text').optional(),
    credential: true,
    description: 'secret access key',
  },
  credentialsFile: {
    schema: pathValue.optional(),
    placeholder: 'FILE',
    description: 'file with access_key_id and secret_access_key; only you may read it',
  },
  credentialCommand: {
    schema: commandValue.optional(),
    placeholder: 'COMMAND',
    unprinted: true,
    description: 'program that prints the credentials, for /bin/sh',
  },
  caFile: {
    schema: pathValue.optional(),
    placeholder: 'FILE',
    fallback: "Node's own",
    description: 'certificates (PEM) of the only authorities to believe',
  },
  clientCert: {
    schema: pathValue.optional(),
    placeholder: 'FILE',
    description: 'certificate (PEM) to show to the service',
  },
  clientKey: {
    schema: pathValue.optional(),
    placeholder: 'FILE',
    description: 'its key (PEM, without a passphrase)',
  },
  proxy: {
    schema: proxyValue.optional(),
    placeholder: 'URL',
    unprinted: true,
    fallback: 'what HTTPS_PROXY and NO_PROXY say',
    description: 'http or https proxy to reach the service through; "off": none',
  },
  config: {
    schema: pathValue.optional(),
    placeholder: 'FILE',
    notInConfigFile: true,
    fallback: 'pailfs/config.toml in the XDG config directory',
    description: 'config file',
  },
  profile: {
    schema: z.string('must be text').min(1, 'must not be empty').optional(),
    placeholder: 'NAME',
    notInConfigFile: true,
    fallback: 'default',
    description: 'table of the config file to use',
  },
  foreground: {
    schema: switchValue.default(false),
    short: 'f',
    description: 'stay in front and log to stderr',
  },
  allBuckets: {
    schema: switchValue.default(false),
    description:
      'mount every bucket of the account, each as a directory by its name; no bucket is named then',
  },
  bucketAdmin: {
    schema: switchValue.default(false),
    description: 'with --all-buckets: mkdir and rmdir beside the buckets make and remove buckets',
  },
  readOnly: {
    schema: switchValue.default(false),
    aliases: ['ro'],
    description: 'refuse every change',
  },
  writeBack: {
    schema: switchValue.default(false),
    description: 'close returns once bytes are safe on this machine; they are stored in the background',
  },
  metadataTtl: {
    schema: secondsValue.default(DEFAULT_METADATA_TTL_MS),
    written: secondsText,
    placeholder: 'SECONDS',
    fallback: '10',
    description: 'how long to trust names and attributes',
  },
  memoryLimit: {
    schema: sizeValue.default(DEFAULT_MEMORY_LIMIT_BYTES),
    written: sizeText,
    placeholder: 'SIZE',
    fallback: '128M',
    description: 'most memory for bytes that are cached or on their way',
  },
  cache: {
    schema: z.enum(['off', 'memory', 'disk'], 'must be off, memory or disk').default('disk'),
    placeholder: 'WHERE',
    fallback: 'disk',
    description: 'keep what was read: off, memory (until the unmount) or disk',
  },
  cacheSize: {
    schema: sizeValue.default(DEFAULT_CACHE_SIZE_BYTES),
    written: sizeText,
    placeholder: 'SIZE',
    fallback: '10G',
    description: 'most disk space for what is cached or waits to be stored',
  },
  cacheDir: {
    schema: pathValue.optional(),
    placeholder: 'DIR',
    fallback: 'pailfs in the XDG cache directory',
    description:
      'where cached bytes are, which may be deleted; without --state-dir unsent bytes wait in DIR/state, which may not',
  },
  stateDir: {
    schema: pathValue.optional(),
    placeholder: 'DIR',
    fallback: 'pailfs in the XDG state directory; with --cache-dir: state in that',
    description: 'where unsent bytes wait',
  },
  visibility: {
    schema: z
      .enum(['preserve', 'private', 'public'], 'must be preserve, private or public')
      .default('preserve'),
    placeholder: 'WHICH',
    fallback: 'preserve',
    description: 'of a file written here: preserve, private or public',
  },
  conflict: {
    schema: z
      .enum(['keep-both', 'fail', 'overwrite'], 'must be keep-both, fail or overwrite')
      .default('keep-both'),
    placeholder: 'HOW',
    fallback: 'keep-both',
    description: 'when somebody else replaced a file edited here: keep-both, fail (at close) or overwrite',
  },
  renameLimit: {
    schema: countValue.default(DEFAULT_RENAME_LIMIT),
    placeholder: 'FILES',
    fallback: '10000',
    description: 'most files in a folder that is renamed rather than copied by mv',
  },
  scratch: {
    schema: onOffValue.default(true),
    placeholder: 'on|off',
    fallback: 'on',
    description: 'keep swap, lock and unfinished files of editors, rsync, git and macOS on this machine',
  },
  uid: {
    schema: idValue.optional(),
    placeholder: 'NUMBER',
    fallback: 'who made it here, else you',
    description: 'owner of everything',
  },
  gid: {
    schema: idValue.optional(),
    placeholder: 'NUMBER',
    fallback: 'theirs, else yours',
    description: 'group of everything',
  },
  umask: {
    schema: umaskValue.default(DEFAULT_UMASK),
    written: umaskText,
    placeholder: 'OCTAL',
    fallback: '022',
    description: 'permission bits that files and folders lack, unless a program sets them',
  },
  allowOther: { schema: switchValue.default(false), description: 'let other users in' },
  noexec: { schema: switchValue.default(false), description: 'no file may be run as a program' },
  allowInsecure: {
    schema: switchValue.default(false),
    description: 'accept http:// to another machine: credentials and files travel readable',
  },
  driver: {
    schema: z.enum(['kernel', 'native'], 'must be kernel or native').optional(),
    placeholder: 'NAME',
    fallback: 'kernel on Linux',
    description: 'how to talk to the kernel: kernel or native',
  },
  logFile: {
    schema: pathValue.optional(),
    placeholder: 'FILE',
    fallback: 'in the state directory; stderr with -f',
    description: 'log file, in a directory that exists',
  },
  debug: { schema: switchValue.default(false), description: 'log everything, with stack traces' },
} as const satisfies Readonly<Record<string, SettingRow>>;

export type SettingName = keyof typeof settingsTable;

export type SettingValues = {
  readonly [Name in SettingName]: z.output<(typeof settingsTable)[Name]['schema']>;
};

export const settingNames = Object.keys(settingsTable) as readonly SettingName[];

/** The row of `name`, seen without the particulars of its value. */
export function settingRow(name: SettingName): SettingRow {
  return settingsTable[name];
}

/** `metadataTtl` as `-o` and the config file write it: `metadata_ttl`. */
export function snakeName(name: SettingName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `metadataTtl` as a flag: `--metadata-ttl`. */
export function flagName(name: SettingName): string {
  return `--${snakeName(name).replaceAll('_', '-')}`;
}

/** `metadataTtl` in the environment: `PAILFS_METADATA_TTL`. */
export function environmentName(name: SettingName): string {
  return `${ENVIRONMENT_PREFIX}${snakeName(name).toUpperCase()}`;
}

/** What a program that is started here need not know, or must not. */
export function withoutSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith(ENVIRONMENT_PREFIX)),
  );
}
