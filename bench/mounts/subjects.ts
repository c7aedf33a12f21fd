/** Which mounts are compared, and how is each of them asked for? */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../frame/programs.ts';
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

/** Those that can be had here; `notes` say why others are left out, and how those that are here were asked for. */
export interface MountSubjects {
  readonly ours: readonly MountSubject[];
  readonly peers: readonly MountSubject[];
  readonly notes: readonly string[];
}

/** Peers whose close(2) returns before the store has the bytes. */
export const LATE_PEERS: readonly string[] = ['rclone writes', 'rclone full'];

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = path.join(PROJECT, 'dist/cli/main.js');
const LIMIT_MS = 10_000;
const BUILD_LIMIT_MS = 300_000;

/** Builds pailfs, so that what people run is measured. Rejects when that fails. */
export async function findSubjects(): Promise<MountSubjects> {
  await run('npm', ['--prefix', PROJECT, 'run', '--silent', 'build'], BUILD_LIMIT_MS);
  const notes: string[] = [];
  const peers: MountSubject[] = [];
  const rclone = await versionOf('rclone', ['version']);
  if (typeof rclone === 'string') notes.push(`rclone: left out, because ${rclone}`);
  else {
    peers.push(...['off', 'writes', 'full'].map(rcloneMount));
    notes.push(
      `rclone: ${rclone.version}, as Debian has it, defaults but for \`no_check_bucket\` (fewer requests) and \`--vfs-write-back 1ms\` (its 5 s before each upload would be all that one sees). "off", "writes" and "full" are its cache modes; in the last two close returns before anything is sent, and errors are only logged.`,
    );
  }
  const s3fs = await versionOf('s3fs', ['--version']);
  if (typeof s3fs === 'string') notes.push(`s3fs: left out, because ${s3fs}`);
  else {
    peers.push(s3fsMount);
    notes.push(`s3fs: ${s3fs.version}, as Debian has it, defaults.`);
  }
  const ours = [pailfsMount('pailfs', []), pailfsMount('pailfs write-back', ['--write-back'])];
  return { ours, peers, notes };
}

function pailfsMount(name: string, options: readonly string[]): MountSubject {
  return {
    name,
    serving: ({ servicePort, accessKeyId, secretAccessKey, bucket }) => ({
      program: process.execPath,
      parameters: ({ mountpoint, folder }) => [
        ...[PROGRAM, 'mount', bucket, mountpoint, '-f'],
        ...['--state-dir', path.join(folder, 'state'), ...options],
      ],
      environment: {
        PAILFS_BASE_URL: `http://127.0.0.1:${servicePort}`,
        PAILFS_ACCESS_KEY_ID: accessKeyId,
        PAILFS_SECRET_ACCESS_KEY: secretAccessKey,
      },
    }),
  };
}

function rcloneMount(mode: string): MountSubject {
  return {
    name: `rclone ${mode}`,
    serving: ({ s3Port, accessKeyId, secretAccessKey, bucket }) => ({
      program: 'rclone',
      parameters: ({ mountpoint, folder }) => [
        ...['mount', `bench:${bucket}`, mountpoint, '--vfs-cache-mode', mode],
        ...['--config', '/dev/null', '--cache-dir', path.join(folder, 'cache'), '--vfs-write-back', '1ms'],
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

const s3fsMount: MountSubject = {
  name: 's3fs',
  serving: ({ s3Port, accessKeyId, secretAccessKey, bucket }) => ({
    program: 's3fs',
    parameters: ({ mountpoint, folder }) => [
      ...[bucket, mountpoint, '-f', '-o', `url=http://127.0.0.1:${s3Port}`],
      ...['-o', 'use_path_request_style', '-o', `tmpdir=${folder}`],
    ],
    environment: { AWSACCESSKEYID: accessKeyId, AWSSECRETACCESSKEY: secretAccessKey },
  }),
};

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
