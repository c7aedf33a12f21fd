/**
 * Which settings are there? This one table makes the flags, the `-o` options, the environment variables and the keys of the
 * config file: `metadataTtl` is `--metadata-ttl`, `-o metadata_ttl`, `PAILFS_METADATA_TTL` and `metadata_ttl`.
 */
import { z } from 'zod';
import {
  baseUrlValue,
  idValue,
  pathValue,
  secondsValue,
  sizeValue,
  switchValue,
  umaskValue,
} from './setting-values.ts';

interface SettingRow {
  /** Takes text, a number or a boolean; `undefined` when set nowhere. */
  readonly schema: z.ZodType;
  readonly description: string;
  /** What the value is called in `--help`; absent for a switch. */
  readonly placeholder?: string;
  /** A one-letter flag. */
  readonly short?: string;
  /** Other names after `-o`. */
  readonly aliases?: readonly string[];
  /** Never on the command line, where every user of the machine could read it; never printed. */
  readonly credential?: true;
  /** Says where the config file is, so it cannot stand in it. */
  readonly notInConfigFile?: true;
}

const DEFAULT_METADATA_TTL_MS = 10_000;
/** Room for the read-ahead windows of a few readers on a small machine. */
const DEFAULT_MEMORY_LIMIT_BYTES = 128 * 1024 * 1024;
const DEFAULT_RENAME_LIMIT = 10_000;
const DEFAULT_UMASK = 0o022;

export const settingsTable = {
  baseUrl: {
    schema: baseUrlValue.optional(),
    placeholder: 'URL',
    description: 'address of the storage service',
  },
  accessKeyId: {
    schema: z
      .string('must be text')
      .regex(/^[^:]*$/, 'must not contain a colon')
      .optional(),
    credential: true,
    description: 'access key id',
  },
  secretAccessKey: {
    schema: z.string('must be text').optional(),
    credential: true,
    description: 'secret access key',
  },
  config: {
    schema: pathValue.optional(),
    placeholder: 'FILE',
    notInConfigFile: true,
    description: 'config file (default: pailfs/config.toml in the XDG config directory)',
  },
  profile: {
    schema: z.string('must be text').min(1, 'must not be empty').optional(),
    placeholder: 'NAME',
    notInConfigFile: true,
    description: 'table of the config file to use (default: default)',
  },
  foreground: {
    schema: switchValue.default(false),
    short: 'f',
    description: 'stay in front and log to stderr',
  },
  readOnly: {
    schema: switchValue.default(false),
    aliases: ['ro'],
    description: 'refuse every change',
  },
  metadataTtl: {
    schema: secondsValue.default(DEFAULT_METADATA_TTL_MS),
    placeholder: 'SECONDS',
    description: 'how long to trust names and attributes (default: 10)',
  },
  memoryLimit: {
    schema: sizeValue.default(DEFAULT_MEMORY_LIMIT_BYTES),
    placeholder: 'SIZE',
    description: 'most memory for cached bytes (default: 128M)',
  },
  stateDir: {
    schema: pathValue.optional(),
    placeholder: 'DIR',
    description: 'where unsent bytes wait (default: pailfs in the XDG state directory)',
  },
  visibility: {
    schema: z
      .enum(['preserve', 'private', 'public'], 'must be preserve, private or public')
      .default('preserve'),
    placeholder: 'WHICH',
    description: 'of a file written here: preserve, private or public (default: preserve)',
  },
  conflict: {
    schema: z
      .enum(['keep-both', 'fail', 'overwrite'], 'must be keep-both, fail or overwrite')
      .default('keep-both'),
    placeholder: 'HOW',
    description:
      'when somebody else replaced a file edited here: keep-both, fail (at close) or overwrite (default: keep-both)',
  },
  renameLimit: {
    schema: idValue.default(DEFAULT_RENAME_LIMIT),
    placeholder: 'FILES',
    description: 'most files in a folder that is renamed rather than copied by mv (default: 10000)',
  },
  scratch: {
    schema: switchValue.default(true),
    placeholder: 'on|off',
    description:
      'keep swap, lock and transfer files of editors, rsync and macOS on this machine (default: on)',
  },
  uid: { schema: idValue.optional(), placeholder: 'NUMBER', description: 'owner shown (default: you)' },
  gid: { schema: idValue.optional(), placeholder: 'NUMBER', description: 'group shown (default: yours)' },
  umask: {
    schema: umaskValue.default(DEFAULT_UMASK),
    placeholder: 'OCTAL',
    description: 'permission bits taken away (default: 022)',
  },
  allowOther: { schema: switchValue.default(false), description: 'let other users in' },
  allowInsecure: {
    schema: switchValue.default(false),
    description: 'accept http:// to another machine: credentials and files travel readable',
  },
  driver: {
    schema: z.enum(['kernel', 'native'], 'must be kernel or native').optional(),
    placeholder: 'NAME',
    description: 'how to talk to the kernel: kernel or native (default: kernel on Linux)',
  },
  logFile: {
    schema: pathValue.optional(),
    placeholder: 'FILE',
    description: 'log file (default: in the state directory; stderr with -f)',
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
  return `PAILFS_${snakeName(name).toUpperCase()}`;
}
