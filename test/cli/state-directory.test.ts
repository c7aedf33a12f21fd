import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StateDirectory } from '../../src/cli/state-directory.ts';
import { claimStateDirectory } from '../../src/cli/state-directory.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
const OWNER = { baseUrl: 'https://storage.example.com', accessKeyId: 'id', bucket: 'b-1' };

let home: string;
const claimed: StateDirectory[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pailfs-state-'));
});

afterEach(async () => {
  for (const directory of claimed.splice(0)) await directory.release();
  await rm(home, { recursive: true });
});

async function claim(owner = OWNER): Promise<StateDirectory> {
  const directory = await claimStateDirectory(home, owner);
  claimed.push(directory);
  return directory;
}

const number = (directory: StateDirectory): string => basename(directory.path);

describe('a state directory', () => {
  it('exists, for its owner only', async () => {
    const { path } = await claim();

    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  });

  it('belongs to one mount at a time, and is used again afterwards', async () => {
    const first = await claim();
    const second = await claim();
    await first.release();
    const third = await claim();

    expect([first, second, third].map(number)).toEqual(['0', '1', '0']);
  });

  it('is another one for another bucket, credential or service', async () => {
    const paths = await Promise.all([
      claim(),
      claim({ ...OWNER, bucket: 'b-2' }),
      claim({ ...OWNER, accessKeyId: 'other' }),
      claim({ ...OWNER, baseUrl: 'https://other.example.com' }),
    ]);

    expect(new Set(paths.map(({ path }) => dirname(path))).size).toBe(4);
  });

  it('works below a path that is too long for a socket address', async () => {
    home = join(home, 'x'.repeat(120));

    expect(number(await claim())).toBe('0');
    expect(number(await claim())).toBe('1');
    home = dirname(home);
  });

  it('goes to exactly one of many who ask at once, also after a crash', async () => {
    const ended = await claim();
    await ended.release();

    const directories = await Promise.all(Array.from({ length: 12 }, () => claim()));

    expect(directories.map(number).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 12 }, (_, n) => String(n)),
    );
  });

  it('with unsent files of a mount that died is left alone and named', async () => {
    const dead = await claim();
    await mkdir(join(dead.path, 'drafts'));
    await writeFile(join(dead.path, 'drafts', 'one'), 'precious');
    await dead.release();

    const next = await claim();

    expect(number(next)).toBe('1');
    expect(next.leftovers).toEqual([dead.path]);
    expect(await readdir(join(dead.path, 'drafts'))).toEqual(['one']);
  });

  it('of a mount that still runs is no leftover, whatever it holds', async () => {
    const first = await claim();
    const living = await claim();
    await mkdir(join(living.path, 'drafts'));
    await writeFile(join(living.path, 'drafts', 'one'), 'busy');
    await first.release();

    expect((await claim()).leftovers).toEqual([]);
  });
});

describe('two processes', () => {
  const children: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
  });

  async function claimInProcess(): Promise<{ readonly child: ChildProcess; readonly directory: string }> {
    const child = fork(new URL('claim-and-wait.ts', import.meta.url), [home, JSON.stringify(OWNER)], {
      execArgv: ['--import', LOADER],
    });
    children.push(child);
    const [path] = (await once(child, 'message')) as [string];
    return { child, directory: basename(path) };
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  it('never share one, and who is killed gives it up at once', async () => {
    const [a, b] = await Promise.all([claimInProcess(), claimInProcess()]);
    const whileBothLive = number(await claim());
    await kill(a.child);
    const afterwards = await claimInProcess();

    expect([a.directory, b.directory].sort()).toEqual(['0', '1']);
    expect(whileBothLive).toBe('2');
    expect(afterwards.directory).toBe(a.directory);
  });
});
