/** What does a person read who has typed a command in a wrong way? */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openOwnHome, runHere } from '../support/run-here.ts';

it.each([
  [['ls'], `missing required argument 'bucket:key'; "pailfs ls --help" shows the usage`],
  [
    ['ls', '--lnog', 'photos'],
    `unknown option '--lnog' (Did you mean --long?); "pailfs ls --help" shows the usage`,
  ],
  [['uploads', 'retry', '--no'], `unknown option '--no'; "pailfs uploads retry --help" shows the usage`],
  [['bucket', 'lits'], `unknown command 'lits' (Did you mean list?); "pailfs bucket --help" shows the usage`],
  [['doctor', 'a', 'b'], `pailfs doctor has no use for a b; "pailfs doctor --help" shows the usage`],
  [
    ['mount', 'photos', 'there', 'too'],
    `pailfs mount has no use for too; "pailfs mount --help" shows the usage`,
  ],
  [['serve', '--data'], `option '--data <DIR>' argument missing; "pailfs serve --help" shows the usage`],
])('the line names the help of the command itself: %j', async (words, line) => {
  expect(await runHere(words)).toEqual({ code: 2, stdout: '', stderr: `pailfs: ${line}\n` });
});

it.each([
  [['mount', '--all-buckets'], {}, `'mountpoint'; "pailfs mount --help" shows the usage`],
  [['mount', '-o', 'all_buckets'], {}, `'mountpoint'; "pailfs mount --help" shows the usage`],
  [['mount'], { PAILFS_ALL_BUCKETS: 'on' }, `'mountpoint'; "pailfs mount --help" shows the usage`],
  [['mount', '--read-only'], {}, `'bucket'; "pailfs mount --help" shows the usage`],
  [
    ['--all-buckets'],
    { PAILFS_BASE_URL: '' },
    `'mountpoint'; "pailfs mount --help" shows the usage, "pailfs --help" all commands`,
  ],
])('the first word that a mount needs is missing: %j %j', async (words, environment, line) => {
  await openOwnHome();
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);

  expect(await runHere(words)).toEqual({
    code: 2,
    stdout: '',
    stderr: `pailfs: missing required argument ${line}\n`,
  });
});

it('a misspelt command, which could be a bucket, is told to be none', async () => {
  expect(await runHere(['mont', 'photos', 'there'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `pailfs: mont is no command (Did you mean mount?), and pailfs mount has no use for there; "pailfs mount --help" shows the usage, "pailfs --help" all commands\n`,
  });
});

it('so it is with an option that only the command has which was meant', async () => {
  const told = await runHere(['statsu', '--json']);

  const line = `statsu is no command (Did you mean status?), and to pailfs mount this is an unknown option '--json'; "pailfs mount --help" shows the usage, "pailfs --help" all commands`;
  expect(told).toMatchObject({ code: 2, stderr: `pailfs: ${line}\n` });
  expect(JSON.parse(told.stdout)).toEqual({ error: { message: line, exitCode: 2 } });
});

it.each([
  ['nothing is set yet', { PAILFS_BASE_URL: undefined }],
  ['all is set', {}],
])('a word alone that is nearly a command is told which, also when %s', async (_case, environment) => {
  await openOwnHome();
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);

  expect(await runHere(['statsu'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'pailfs: statsu is no command (Did you mean status?), and there is no mountpoint for the bucket statsu; "pailfs --help" shows the usage, and all commands\n',
  });
});

it('a word alone that is far from every command is taken for a bucket, and so is each after "mount"', async () => {
  await openOwnHome();

  for (const words of [['holiday-2026'], ['mount', 'statsu']]) {
    const { code, stderr } = await runHere(words);

    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^pailfs: missing required argument 'mountpoint' for the bucket (?!.*Did you mean)/,
    );
  }
});

it.each([
  [
    'is not there',
    'none',
    /^pailfs: lss is no command \(Did you mean ls\?\), and HOME\/none does not exist: .*\n$/,
  ],
  [
    'is a file',
    'local',
    /^pailfs: lss is no command \(Did you mean ls\?\), and HOME\/local is not a directory: .*\n$/,
  ],
  [
    'is mounted',
    '/proc',
    /^pailfs: lss is no command \(Did you mean ls\?\), and \/proc already has proc .*\n$/,
  ],
])('so is told who names for the mountpoint what %s', async (_case, name, line) => {
  const { home } = await openOwnHome();
  const mountpoint = resolve(home, name);

  const { code, stderr } = await runHere(['lss', mountpoint]);

  expect(code).toBe(32);
  expect(stderr.replaceAll(home, 'HOME')).toMatch(line);
  expect((await runHere(['mount', 'lss', mountpoint])).stderr).not.toContain('is no command');
});

it('a command that there is not is told to be none where a file of a bucket follows it, which is no mountpoint', async () => {
  const { home } = await openOwnHome();

  const told = await runHere(['cat', 'photos:f']);

  expect(told).toMatchObject({ code: 32, stdout: '' });
  expect(told.stderr).toMatch(/^pailfs: cat is no command, and \S+photos:f does not exist: .*\n$/);
  expect((await runHere(['cat', resolve(home, 'none')])).stderr).not.toContain('is no command');
});

it.each([
  ['nothing is set yet', undefined, 2, /address of the storage service is not set/],
  ['all is set', 'http://127.0.0.1:9', 1, /127\.0\.0\.1:9/],
])(
  'the word of mount(8) is told to be none, and which is meant, where nothing is mounted and %s',
  async (_case, address, code, reason) => {
    const { home } = await openOwnHome();
    vi.stubEnv('PAILFS_BASE_URL', address);

    const mountpoint = resolve(home, 'empty');
    await mkdir(mountpoint);

    const told = await runHere(['umount', mountpoint, '-f']);

    expect(told).toMatchObject({ code, stdout: '' });
    expect(told.stderr).toMatch(/^pailfs: umount is no command \(Did you mean unmount\?\), and .*\n$/);
    expect(told.stderr).toMatch(reason);
    expect((await runHere(['mount', 'umount', mountpoint, '-f'])).stderr).not.toContain('is no command');
  },
);

it('so is one of uploads, which could be a mountpoint', async () => {
  await openOwnHome();

  expect(await runHere(['uploads', 'retyr'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^pailfs: retyr is no command \(Did you mean retry\?\), and \S+retyr does not exist: .*\n$/,
    ) as string,
  });
  expect((await runHere(['uploads', '/none/retyr'])).stderr).not.toContain('is no command');
});

it('with all buckets the word alone is a directory, whatever it is called', async () => {
  await openOwnHome();
  vi.stubEnv('PAILFS_ALL_BUCKETS', 'on');

  const { code, stderr } = await runHere(['statsu']);

  expect(code).toBe(32);
  expect(stderr).toMatch(/statsu does not exist: /);
});

it('who asks for the help of a command that there is not is told so', async () => {
  const told = await runHere(['help', 'lits']);

  expect(told).toMatchObject({ code: 2, stdout: '' });
  expect(told.stderr).toMatch(/\npailfs: there is no command lits of pailfs\n$/);
});

it.each([
  [['uploads', 'nope'], 'nope of pailfs uploads; "pailfs uploads --help"'],
  [['uploads', 'retry', 'nope'], 'nope of pailfs uploads retry; "pailfs uploads retry --help"'],
  [['ls', 'photos:f'], 'photos:f of pailfs ls; "pailfs ls --help"'],
])('so is who asks for that of one below a command: %j', async (names, line) => {
  expect(await runHere(['help', ...names])).toEqual({
    code: 2,
    stdout: '',
    stderr: `pailfs: there is no command ${line} shows the usage\n`,
  });
});

it('the help of help is that of the whole program', async () => {
  expect(await runHere(['help', 'help'])).toEqual(await runHere(['--help']));
});

it.each([[['uploads', 'retry']], [['bucket', 'delete']]])(
  'the help of %j is that of the command below',
  async (names) => {
    const told = await runHere(['help', ...names]);

    expect(told).toEqual(await runHere([...names, '--help']));
    expect(told.stdout).toMatch(new RegExp(`^Usage: pailfs ${names.join(' ')} `));
  },
);

it('who gives no word at all is shown the commands, whatever is set', async () => {
  vi.stubEnv('PAILFS_ALL_BUCKETS', 'nonsense');
  onTestFinished(() => void vi.unstubAllEnvs());

  const told = await runHere([]);

  expect(told).toMatchObject({ code: 2, stdout: '' });
  expect(told.stderr).toMatch(/^Usage: pailfs \[options\] \[command\]\n[^]*\n {2}mount .*\n/);
});

it.each([
  [
    ['unmount', 'there', '--timeout', 'soon'],
    /^pailfs: --timeout must be a number of seconds .* \(given: "soon"\)\n$/,
  ],
  [['serve', '--port', '99999'], /^pailfs: --port must be a number from 0 to 65535 \(given: "99999"\)\n$/],
  [['ls', ''], /^pailfs: 'bucket:key' is empty: was a variable not set\?\n$/],
  [['uploads', 'retry', ''], /^pailfs: 'what' is empty: was a variable not set\?\n$/],
  [['uploads', 'retry', '--mount', ''], /^pailfs: --mount is empty: was a variable not set\?\n$/],
  [['serve', '--data', ''], /^pailfs: --data is empty: was a variable not set\?\n$/],
])('a wrong value is named: %j', async (words, line) => {
  await openOwnHome();

  expect(await runHere(words)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(line) as string,
  });
});

it('no switch is said to be false when it is not given', async () => {
  const { stdout } = await runHere(['unmount', '--help']);

  expect(stdout).toMatch(/--lazy +detach/);
  expect(stdout).not.toContain('default: false');
});
