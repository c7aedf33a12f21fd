import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StateDirectory } from '../../src/cli/state/state-directory.ts';
import { claimStateDirectory } from '../../src/cli/state/state-directory.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
/** Long enough, mostly, for another process to begin to wait; the test passes as well when it has not. */
const WHILE = 500;
const OWNER = {
  baseUrl: 'https://storage.example.com',
  accessKeyId: 'id',
  bucket: 'b-1',
  bucketName: 'photos',
};

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

  it('of a mount that died is taken by the next mount, all others are adopted by it, and by no other', async () => {
    const before = await claim();
    const dead = await claim();
    await mkdir(join(dead.path, 'drafts'));
    await writeFile(join(dead.path, 'drafts', 'one'), 'precious');
    await before.release();
    await dead.release();

    const next = await claim();

    expect(number(next)).toBe('0');
    expect(next.adopted).toEqual([dead.path]);
    expect((await claim()).adopted).toEqual([]);
    expect(await readdir(join(dead.path, 'drafts'))).toEqual(['one']);
  });

  it('of a mount that still runs is not adopted, whatever it holds', async () => {
    const first = await claim();
    const living = await claim();
    await mkdir(join(living.path, 'drafts'));
    await writeFile(join(living.path, 'drafts', 'one'), 'busy');
    await first.release();

    expect((await claim()).adopted).toEqual([]);
  });
});

describe('two processes', () => {
  const children: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
  });

  interface Claimed {
    readonly child: ChildProcess;
    readonly path: string;
    readonly adopted: readonly string[];
  }

  async function claimInProcess(words = [home, JSON.stringify(OWNER)]): Promise<Claimed> {
    const child = fork(new URL('claim-and-wait.ts', import.meta.url), words, {
      execArgv: ['--import', LOADER],
    });
    children.push(child);
    const [claimed] = (await once(child, 'message')) as [Omit<Claimed, 'child'>];
    return { child, ...claimed };
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

    expect([a, b].map(({ path }) => basename(path)).sort()).toEqual(['0', '1']);
    expect(whileBothLive).toBe('2');
    expect(afterwards.path).toBe(a.path);
  });

  it('that start at once after others were killed: one adopts everything, the other nothing', async () => {
    const killed = await Promise.all([claimInProcess(), claimInProcess(), claimInProcess()]);
    for (const { child, path } of killed) {
      await mkdir(join(path, 'drafts'));
      await writeFile(join(path, 'drafts', 'one'), 'precious');
      await kill(child);
    }

    const next = await Promise.all([claimInProcess(), claimInProcess()]);

    const adopted = next.map((claimed) => [...claimed.adopted].sort());
    const [, ...others] = killed.map(({ path }) => path).sort();
    expect(adopted.sort((a, b) => a.length - b.length)).toEqual([[], others]);
    expect(next.map(({ path }) => basename(path)).sort()).toEqual(['0', '3']);
  });

  it('take turns, and nobody waits for one that was killed in its turn', async () => {
    const first = await claimInProcess();
    const inTurn = await claimInProcess([dirname(first.path), '', 'turn']);
    const events: string[] = [];
    const waiting = claimInProcess().then(({ path }) => events.push(basename(path)));
    await sleep(WHILE);

    events.push('killed');
    await kill(inTurn.child);
    await waiting;

    expect(events).toEqual(['killed', '1']);
  });
});
