/** Bad input: one line that names the cause and the remedy, an exit code, and nothing mounted. */
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import type { Launch } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';
import type { EmbeddedServer } from '../support/embedded-service.ts';

interface Refusal {
  readonly title: string;
  /** What comes before, in the home of the person. */
  readonly arrange?: (at: CommandLine) => Promise<unknown>;
  /** The words after `pailfs`. */
  readonly words?: (at: CommandLine) => readonly string[];
  readonly launch?: Launch;
  readonly code: number;
  readonly line: RegExp;
  /** What else must be so then. */
  readonly after?: (at: CommandLine) => Promise<void>;
}

const REFUSALS: readonly Refusal[] = [
  {
    title: 'a service that is down',
    launch: { environment: { PAILFS_BASE_URL: 'http://127.0.0.1:9' } },
    code: 1,
    line: /http:\/\/127\.0\.0\.1:9 cannot be reached: nothing listens .* start the service, or check --base-url/,
  },
  {
    title: 'a host that does not exist',
    launch: { environment: { PAILFS_BASE_URL: 'https://storage.invalid' } },
    code: 1,
    line: /https:\/\/storage\.invalid cannot be reached: .* --base-url/,
  },
  {
    title: 'a base URL that is none',
    words: (at) => ['mount', 'photos', at.mountpoint, '--base-url', 'storage'],
    code: 2,
    line: /--base-url must be a web address such as https:.*given: "storage"/,
  },
  {
    title: 'http to another machine',
    words: (at) => ['mount', 'photos', at.mountpoint, '--base-url', 'http://192.0.2.1'],
    code: 2,
    line: /not encrypted .* --allow-insecure/,
  },
  {
    title: 'a wrong secret',
    launch: { environment: { PAILFS_SECRET_ACCESS_KEY: 'wrong' } },
    code: 1,
    line: /refuses the credentials \(401\): check PAILFS_ACCESS_KEY_ID and PAILFS_SECRET_ACCESS_KEY/,
  },
  {
    title: 'missing credentials',
    launch: { environment: { PAILFS_SECRET_ACCESS_KEY: undefined } },
    code: 2,
    line: /secret access key is not set: set PAILFS_SECRET_ACCESS_KEY/,
  },
  {
    title: 'a bucket that does not exist',
    words: (at) => ['mount', 'fotos', at.mountpoint],
    code: 1,
    line: /there is no bucket fotos at .*: this account has photos/,
  },
  {
    title: 'a missing mountpoint',
    words: (at) => ['mount', 'photos', join(at.home, 'none')],
    code: 32,
    line: /none does not exist: create it with "mkdir -p/,
  },
  {
    title: 'a mountpoint that is a file',
    arrange: (at) => writeFile(join(at.home, 'file'), ''),
    words: (at) => ['mount', 'photos', join(at.home, 'file')],
    code: 32,
    line: /is not a directory: choose an empty directory/,
  },
  {
    title: 'a mountpoint that is not empty',
    arrange: (at) => writeFile(join(at.mountpoint, 'file'), ''),
    code: 32,
    line: /is not empty: choose an empty directory/,
  },
  {
    title: 'no /dev/fuse',
    launch: { namespaceSetup: 'mount -t tmpfs none /dev' },
    code: 32,
    line: /\/dev\/fuse is missing: load the kernel module/,
  },
  {
    title: 'a state directory inside the mountpoint',
    words: (at) => ['mount', 'photos', at.mountpoint, '--state-dir', join(at.mountpoint, 'state')],
    code: 1,
    line: /state directory .* is inside the mountpoint .*: choose another with --state-dir/,
  },
  {
    title: 'a state directory that leads into the mountpoint by a symbolic link',
    arrange: (at) => symlink(at.mountpoint, join(at.home, 'link')),
    words: (at) => ['mount', 'photos', at.mountpoint, '--state-dir', join(at.home, 'link', 'deep', 'state')],
    code: 1,
    line: /is inside the mountpoint/,
  },
  {
    title: 'a log file inside the mountpoint',
    words: (at) => ['mount', 'photos', at.mountpoint, '-f', '--log-file', join(at.mountpoint, 'log')],
    code: 1,
    line: /log file .* is inside the mountpoint .*: choose another with --log-file/,
  },
  {
    title:
      'a log file in a directory that does not exist, which may be misspelt, or on a disk that is missing',
    words: (at) => ['mount', 'photos', at.mountpoint, '--log-file', join(at.home, 'none', 'deep', 'log')],
    code: 1,
    line: /log file .* cannot be used \(.*none\/deep does not exist\): choose another with --log-file/,
    after: async (at) => {
      expect(await readdir(at.home)).not.toContain('none');
    },
  },
  {
    title: 'a state directory that is a file',
    arrange: (at) => writeFile(join(at.home, 'file'), ''),
    words: (at) => ['mount', 'photos', at.mountpoint, '--state-dir', join(at.home, 'file')],
    code: 1,
    line: /state directory .* cannot be used .*: choose another with --state-dir/,
  },
  {
    title: 'a full disk under the state directory',
    arrange: (at) => mkdir(join(at.home, 'full')),
    words: (at) => ['mount', 'photos', at.mountpoint, '--state-dir', join(at.home, 'full', 'state')],
    launch: { namespaceSetup: 'mount -t tmpfs -o size=64k none full' },
    code: 1,
    line: /the disk of the state directory .* is full: free some space/,
  },
  {
    title: 'an unknown flag',
    words: (at) => ['mount', 'photos', at.mountpoint, '--red-only'],
    code: 2,
    line: /unknown option '--red-only' \(Did you mean --read-only\?\)/,
  },
  {
    title: 'an unknown -o option',
    words: (at) => ['photos', at.mountpoint, '-o', 'rw,nofail,frobnicate=1'],
    code: 2,
    line: /unknown option -o frobnicate: "pailfs mount --help"/,
  },
  {
    title: 'a wrong value',
    words: (at) => ['mount', 'photos', at.mountpoint, '--metadata-ttl', 'soon'],
    code: 2,
    line: /--metadata-ttl must be a number of seconds .*given: "soon"/,
  },
  {
    title: 'a missing argument',
    words: () => ['mount', 'photos'],
    code: 2,
    line: /missing required argument 'mountpoint' for the bucket photos; "pailfs --help"/,
  },
  {
    title: 'a command that there is not, which could be a bucket: "mount" may be left out',
    words: () => ['stauts'],
    code: 2,
    line: /for the bucket stauts; "pailfs --help" shows the usage, and all commands/,
  },
  {
    title: 'an empty argument, which is a variable that was not set, not the working directory',
    words: () => ['mount', 'photos', ''],
    code: 2,
    line: /'mountpoint' is empty: was a variable not set\?/,
  },
];

async function arrange(): Promise<{ readonly server: EmbeddedServer; readonly at: CommandLine }> {
  const server = await startEmbeddedServer();
  return { server, at: await CommandLine.open(server) };
}

const oneLine = (line: RegExp): unknown =>
  expect.stringMatching(new RegExp(`^pailfs: [^\\n]*${line.source}[^\\n]*\\n$`));

describe('pailfs mount refuses in one line', () => {
  it.each(REFUSALS)('$title', async (refusal) => {
    const { at } = await arrange();
    await refusal.arrange?.(at);
    const before = await readdir(at.mountpoint);

    const outcome = await at.run(refusal.words?.(at) ?? ['mount', 'photos', at.mountpoint], refusal.launch);

    expect(outcome).toEqual({ code: refusal.code, stdout: '', stderr: oneLine(refusal.line) });
    expect(await at.isMounted()).toBe(false);
    expect(await readdir(at.mountpoint)).toEqual(before);
    await refusal.after?.(at);
  });

  it('an address where something else answers', async () => {
    const { at } = await arrange();
    const other = createServer((_request, answer) => answer.end('<html>It works!</html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

    const outcome = await at.run(['mount', 'photos', at.mountpoint, '--base-url', baseUrl]);

    expect(outcome).toMatchObject({
      code: 1,
      stderr: oneLine(/answers, but not like an object storage service.*: check --base-url/),
    });
    expect(await at.isMounted()).toBe(false);
  });

  it('a mountpoint that is already used', async () => {
    const { at } = await arrange();
    await at.run(['mount', 'photos', at.mountpoint]);

    const outcome = await at.run(['mount', 'photos', at.mountpoint]);

    expect(outcome).toMatchObject({
      code: 32,
      stderr: oneLine(/already has photos \(fuse\.pailfs\) mounted: unmount it first/),
    });
    expect(await at.isMounted()).toBe(true);
  });

  it.each([
    ['-o', 'secret_access_key=hush'],
    ['--secret-access-key', 'hush'],
    ['--secret-access-key=hush'],
    ['--access-key-id', 'hush'],
  ])('a credential on the command line: %s', async (...words) => {
    const { at } = await arrange();

    const outcome = await at.run(['mount', 'photos', at.mountpoint, ...words]);

    expect(outcome).toMatchObject({
      code: 2,
      stderr: oneLine(/is refused: .* in the environment, or .* config file/),
    });
    expect(outcome.stderr).not.toContain('hush');
  });

  it('a config file with a secret that others may read', async () => {
    const { at } = await arrange();
    const config = join(at.home, 'config.toml');
    await writeFile(config, '[default]\nsecret_access_key = "hush"\n', { mode: 0o644 });

    const outcome = await at.run(['mount', 'photos', at.mountpoint, '--config', config]);

    expect(outcome).toMatchObject({ code: 2, stderr: oneLine(/other users may read it: run chmod 600 /) });
  });

  it('shows where an error came from only to who debugs', async () => {
    const { at } = await arrange();

    const outcome = await at.run(['mount', 'fotos', at.mountpoint, '--debug']);

    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/^pailfs: there is no bucket fotos.*\n.*\n\s+at /);
  });
});
