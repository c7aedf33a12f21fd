/** What does a person see when what a command prints cannot be written? */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { watchStatus } from '../../src/cli/status/status-command.ts';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openOwnHome } from '../support/run-here.ts';

async function withFiles(): Promise<{ server: EmbeddedServer; at: CommandLine }> {
  const server = await startEmbeddedServer();
  for (const key of ['d/a', 'd/b']) await server.direct.putObject(server.bucket, key, uploadOf('x'));
  return { server, at: await CommandLine.open(server) };
}

/** For a shell. */
function commandIn(server: EmbeddedServer): string {
  const { accessKeyId, secretAccessKey } = server.credentials;
  const settings = {
    PAILFS_BASE_URL: server.baseUrl,
    PAILFS_ACCESS_KEY_ID: accessKeyId,
    PAILFS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const words = [
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    ...CommandLine.words,
  ];
  return `env ${words.map((word) => `'${word}'`).join(' ')}`;
}

it.each([
  ['ls', 'photos:d', 'photos:d'],
  ['bucket', 'list'],
  ['bucket', 'list', '--json'],
  ['publish', '-r', 'photos:d'],
])('nobody reads what %s prints: all is done, without a word', async (...words) => {
  const { server, at } = await withFiles();
  const child = at.start(words);
  let stderr = '';
  child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()));

  child.stdout?.destroy();
  const [code] = (await once(child, 'close')) as [number | null];

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { visibility } = await server.direct.getVisibility(server.bucket, 'd/b');
  expect(visibility).toBe(words.includes('publish') ? 'public' : 'private');
});

it('nobody reads a file that goes to stdout: it says so in words, and ends with 1', async () => {
  const { at } = await withFiles();
  const child = at.start(['get', 'photos:d/a', '-']);
  let stderr = '';
  child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()));

  child.stdout?.destroy();
  const [code] = (await once(child, 'close')) as [number | null];

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'pailfs: photos:d/a is not fetched: who read its bytes has ended\n',
  });
});

it.each(['ls', 'ls --json', 'get'])(
  'what %s prints is longer than a pipe, and is read later: all of it comes',
  async (command) => {
    const { server, at } = await withFiles();
    const names = Array.from(
      { length: 3000 },
      (_, index) => `a name that is of some length, as names of photos are ${index}`,
    );
    await Promise.all(
      names.map((name) => server.direct.putObject(server.bucket, `many/${name}`, uploadOf(''))),
    );
    await server.direct.putObject(server.bucket, 'long', uploadOf(names.join('\n')));
    const words = command === 'get' ? 'get photos:long -' : `${command} photos:many`;

    const outcome = await at.shell(`${commandIn(server)} ${words} | (sleep 1; cat)`);

    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(names.filter((name) => !outcome.stdout.includes(name))).toEqual([]);
  },
);

it('what it says at last finds the pipe full, which is read later: it comes all the same', async () => {
  const { server, at } = await withFiles();
  const command = `{ head -c 65536 /dev/zero >&2; ${commandIn(server)} ls --nope; echo "ended with $?" >&2; } 2>&1`;

  const outcome = await at.shell(`${command} | { sleep 3; tr -d '\\000'; }`);

  const line = `unknown option '--nope'; "pailfs ls --help" shows the usage`;
  expect(outcome.stdout).toBe(`pailfs: ${line}\nended with 2\n`);
});

it('nobody reads what it says at last, of which the pipe is full: it ends with what it would end with', async () => {
  const { server, at } = await withFiles();
  const command = `{ head -c 65536 /dev/zero >&2; ${commandIn(server)} ls --nope; echo "$?" > code; } 2>&1`;

  await at.shell(`${command} | sleep 3`);

  expect(await readFile(join(at.home, 'code'), 'utf8')).toBe('2\n');
});

it('what is watched is left out while what was printed before is not read', async () => {
  await openOwnHome();
  const clock = new ManualClock();
  const unread = vi
    .spyOn(process.stdout, 'writableLength', 'get')
    .mockImplementation(() => ([1, 2, 4].includes(clock.sleeps.length) ? 5 : 0));
  const beats: number[] = [];
  const written = vi.spyOn(process.stdout, 'write').mockImplementation(() => {
    beats.push(clock.sleeps.length);
    if (clock.sleeps.length > 4) process.stdout.emit('error', new Error('nobody reads any more'));
    return true;
  });

  await watchStatus({ mountpoint: undefined, json: true }, clock);
  for (const spy of [unread, written]) spy.mockRestore();

  expect(beats).toEqual([0, 3, 5]);
});

it.each(['ls photos:d', 'get photos:d/a photos:d/b -', '--help', 'mount --help', '--version'])(
  'the disk is full to which %s prints: it says so in one line, and ends with 1',
  async (command) => {
    const { server, at } = await withFiles();

    const outcome = await at.shell(`${commandIn(server)} ${command} > /dev/full`);

    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'pailfs: what this command prints cannot be written (no space left on device): see where its output goes\n',
    });
  },
);
