/** Which mounts are compared, and how is each of them asked for? */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineOptions } from '../../src/cli/serving/engine-options.ts';
import { run } from '../frame/programs.ts';
import { isChosen } from '../frame/suite.ts';
import type { ServingProgram } from './mounted-program.ts';

/** Where the store is, behind the network. */
export interface BucketAddress {
  readonly servicePort: number;
  readonly s3Port: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: string;
}

export interface MountSubject {
  readonly name: string;
  readonly serving: (address: BucketAddress) => ServingProgram;
}

/** Whom a suite compares. */
export interface WantedSubjects {
  readonly ours: readonly MountSubject[];
  readonly rclone: PeerSubjects;
  readonly s3fs: PeerSubjects;
}

/** One program, mounted in several ways. */
export interface PeerSubjects {
  readonly mounts: readonly MountSubject[];
  /** How it was asked for, for the reader of the tables: after its version. */
  readonly note: string;
}

/** Those that can be had here; `notes` say why others are left out, and how those that are here were asked for. */
export interface MountSubjects {
  readonly ours: readonly MountSubject[];
  readonly peers: readonly MountSubject[];
  readonly notes: readonly string[];
}

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = path.join(PROJECT, 'dist/cli/main.js');
const LIMIT_MS = 10_000;
const BUILD_LIMIT_MS = 300_000;

/** Those whose names contain one of `words`. Builds pailfs if it is among them, so that what people run is measured; rejects when that fails. */
export async function findSubjects(
  { ours, rclone, s3fs }: WantedSubjects,
  words: readonly string[],
): Promise<MountSubjects> {
  const chosen = (mounts: readonly MountSubject[]): readonly MountSubject[] =>
    mounts.filter(({ name }) => isChosen(name, words));
  if (chosen(ours).length > 0)
    await run('npm', ['--prefix', PROJECT, 'run', '--silent', 'build'], BUILD_LIMIT_MS);
  const notes: string[] = [];
  const peers: MountSubject[] = [];
  const programs = [
    { program: 'rclone', parameters: ['version'], mounts: chosen(rclone.mounts), note: rclone.note },
    { program: 's3fs', parameters: ['--version'], mounts: chosen(s3fs.mounts), note: s3fs.note },
  ];
  for (const { program, parameters, mounts, note } of programs.filter((each) => each.mounts.length > 0)) {
    const found = await versionOf(program, parameters);
    if (typeof found === 'string') notes.push(`${program}: left out, because ${found}`);
    else {
      peers.push(...mounts);
      notes.push(`${program}: ${found.version}, as Debian has it, ${note}`);
    }
  }
  return { ours: chosen(ours), peers, notes };
}

/** Whether or not they can be had here. */
export function peersOf({ rclone, s3fs }: WantedSubjects): readonly MountSubject[] {
  return [...rclone.mounts, ...s3fs.mounts];
}

/** `options` are added to its usual ones. */
export function pailfsMount(name: string, options: readonly string[]): MountSubject {
  return {
    name,
    serving: ({ servicePort, accessKeyId, secretAccessKey, bucket }) => ({
      program: process.execPath,
      parameters: ({ mountpoint, folder }) => [
        // In front, to be measured, yet as the process in the background is started.
        ...[...engineOptions(), PROGRAM, 'mount', bucket, mountpoint, '-f'],
        ...['--cache-dir', path.join(folder, 'cache'), '--state-dir', path.join(folder, 'state'), ...options],
      ],
      environment: {
        PAILFS_BASE_URL: `http://127.0.0.1:${servicePort}`,
        PAILFS_ACCESS_KEY_ID: accessKeyId,
        PAILFS_SECRET_ACCESS_KEY: secretAccessKey,
      },
    }),
  };
}

/** `mode` is one of its cache modes. */
export function rcloneMount(mode: string, options: readonly string[]): MountSubject {
  return {
    name: `rclone ${mode}`,
    serving: ({ s3Port, accessKeyId, secretAccessKey, bucket }) => ({
      program: 'rclone',
      parameters: ({ mountpoint, folder }) => [
        ...['mount', `bench:${bucket}`, mountpoint, '--vfs-cache-mode', mode],
        ...['--config', '/dev/null', '--cache-dir', path.join(folder, 'cache'), ...options],
      ],
      environment: {
        RCLONE_CONFIG_BENCH_TYPE: 's3',
        RCLONE_CONFIG_BENCH_PROVIDER: 'Other',
        RCLONE_CONFIG_BENCH_ENDPOINT: `http://127.0.0.1:${s3Port}`,
        RCLONE_CONFIG_BENCH_ACCESS_KEY_ID: accessKeyId,
        RCLONE_CONFIG_BENCH_SECRET_ACCESS_KEY: secretAccessKey,
        RCLONE_CONFIG_BENCH_NO_CHECK_BUCKET: 'true',
      },
    }),
  };
}

/** `cacheOptions` are told a folder for its cache. */
export function s3fsMount(name: string, cacheOptions: (folder: string) => readonly string[]): MountSubject {
  return {
    name,
    serving: ({ s3Port, accessKeyId, secretAccessKey, bucket }) => ({
      program: 's3fs',
      parameters: ({ mountpoint, folder }) => [
        ...[bucket, mountpoint, '-f', '-o', `url=http://127.0.0.1:${s3Port}`],
        ...['-o', 'use_path_request_style', '-o', `tmpdir=${folder}`, ...cacheOptions(folder)],
      ],
      environment: { AWSACCESSKEYID: accessKeyId, AWSSECRETACCESSKEY: secretAccessKey },
    }),
  };
}

/** Or why it cannot be used. */
async function versionOf(
  program: string,
  parameters: readonly string[],
): Promise<{ version: string } | string> {
  if (process.getuid?.() !== 0) return 'only root mounts here.';
  try {
    const { output } = await run(program, parameters, LIMIT_MS);
    const [, version = 'of an unknown version'] = /\bv?(\d+\.\d+[\w.-]*)/i.exec(output) ?? [];
    return { version };
  } catch (error) {
    return `it does not run here (Debian: apt-get install ${program}): ${error instanceof Error ? error.message : String(error)}`;
  }
}
