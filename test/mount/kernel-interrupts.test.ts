/** Programs that are interrupted while the service is silent: they end, and so do the requests that only they needed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/server/faults.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { MountedBucket } from '../support/mounted-bucket.ts';

/** Nothing ends by itself while a test lasts. */
const LONG_MS = 3_600_000;
const LONG_DEADLINES = {
  headers: LONG_MS,
  bodyIdle: LONG_MS,
  metadata: LONG_MS,
  read: LONG_MS,
};
const REQUEST_STARTED = 'http.server.request.start';

interface Arrived {
  readonly request: { readonly method: string; readonly url: string };
  readonly socket: Socket;
}

let mount: MountedBucket;
let arrived: Arrived[] = [];
const programs: ChildProcess[] = [];

const note = (message: unknown): void => {
  const { request, socket } = message as Arrived;
  // As it came: the server writes another address into it.
  arrived.push({ request: { method: request.method, url: request.url }, socket });
};

/** Begins a program at the top of the mount; `ended` tells the signal that ended it. */
function begin(program: string, ...parameters: string[]): { child: ChildProcess; ended: Promise<unknown> } {
  const child = spawn(program, parameters, { cwd: mount.path, stdio: 'ignore' });
  programs.push(child);
  const ended = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal ?? code);
    });
  });
  return { child, ended };
}

/** Resolves when it has asked for bytes of its standard input, as dd does of the file it is given, and has to wait for them. */
async function waitsForInput({ pid = 0 }: ChildProcess): Promise<void> {
  const read = process.arch === 'arm64' ? 63 : 0;
  await expect.poll(() => readFile(`/proc/${pid}/syscall`, 'utf8')).toMatch(new RegExp(`^${read} 0x0 `));
}

/** Stalls such requests from now on; resolves with their connections once there are as many as that. */
function stalls(rule: Omit<FaultRule, 'fault' | 'times'>, afterBytes?: number) {
  arrived = [];
  mount.server.faults.add({ ...rule, times: Infinity, fault: { kind: 'stall', afterBytes } });
  return async (method: string, part: string, count = 1): Promise<readonly Socket[]> => {
    const matching = (): Arrived[] =>
      arrived.filter(({ request }) => request.method === method && request.url.includes(part));
    await expect.poll(() => matching().length).toBe(count);
    return matching().map(({ socket }) => socket);
  };
}

/** Empty as long as there is nothing. */
async function storedText(key: string): Promise<string> {
  const bytes = await mount.stored(key).catch(() => Buffer.alloc(0));
  return bytes.toString();
}

async function expectClosed(sockets: readonly Socket[]): Promise<void> {
  expect(sockets.length).toBeGreaterThan(0);
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).not.toContain(false);
}

describe('on a mount of the kernel driver whose service is silent', () => {
  beforeAll(async () => {
    mount = await MountedBucket.open({
      driver: 'kernel',
      slowness: 3,
      deadlines: LONG_DEADLINES,
      settings: { metadataTtl: LONG_MS },
    });
    subscribe(REQUEST_STARTED, note);
  });
  afterAll(async () => {
    unsubscribe(REQUEST_STARTED, note);
    await mount.close();
  });
  beforeEach(() => {
    mount.startTimer();
  });
  afterEach(() => {
    mount.server.faults.clear();
    for (const program of programs.splice(0)) program.kill('SIGKILL');
    mount.stopTimer();
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    '%s ends a copy whose close waits for its upload, which goes on [interrupt/killed]',
    async (signal) => {
      const name = `copied-until-${signal}`;
      const stalled = stalls({ operation: 'putObject' });
      const { child, ended } = begin('cp', '/proc/version', name);
      const uploads = await stalled('PUT', name);
      child.kill(signal);

      expect(await ended).toBe(signal);
      const state = await mount.run(`getfattr --only-values -n user.pailfs.state ${name}`);
      expect(state.output).toBe('uploading');
      mount.server.faults.clear();
      for (const upload of uploads) upload.destroy();
      const original = await readFile('/proc/version', 'utf8');
      await expect.poll(() => storedText(name)).toBe(original);
    },
  );

  it('SIGKILL ends a program that has a file open, without a word of how its upload ends [interrupt/killed]', async () => {
    const stalled = stalls({ operation: 'putObject' });
    const { child, ended } = begin('sh', '-c', 'exec 9> left-open; echo written >&9; exec sleep 600');
    await expect.poll(async () => (await mount.run('cat left-open')).output).toBe('written\n');
    child.kill('SIGKILL');
    const uploads = await stalled('PUT', 'left-open');

    expect(await ended).toBe('SIGKILL');
    mount.server.faults.clear();
    for (const upload of uploads) upload.destroy();
    await expect.poll(() => storedText('left-open')).toBe('written\n');
  });

  it('Ctrl-C ends a read, and its download [interrupt/given-up]', async () => {
    await mount.foreignWrite('file', 'what the file holds');
    await mount.run('ls -l');
    const stalled = stalls({ operation: 'getObject' }, 4);
    const { child, ended } = begin('dd', 'if=file', 'iflag=direct', 'of=/dev/null');
    const downloads = await stalled('GET', 'file');
    child.kill('SIGINT');

    expect(await ended).toBe('SIGINT');
    await expectClosed(downloads);
    mount.server.faults.clear();
    expect((await mount.run('cat file')).output).toBe('what the file holds');
  });

  it('Ctrl-C of one reader leaves the download to the other [interrupt/shared]', { retry: 2 }, async () => {
    await mount.foreignWrite('shared', 'what both read');
    await mount.run('ls -l');
    const stalled = stalls({ operation: 'getObject' }, 4);
    const one = begin('dd', 'if=shared', 'iflag=direct', 'of=/dev/null');
    const downloads = await stalled('GET', 'shared');
    const other = begin('dd', 'if=shared', 'iflag=direct', 'of=/dev/null');
    await waitsForInput(other.child);
    one.child.kill('SIGINT');

    expect(await one.ended).toBe('SIGINT');
    expect((await stalled('GET', 'shared')).map(({ destroyed }) => destroyed)).toEqual([false]);
    other.child.kill('SIGINT');
    expect(await other.ended).toBe('SIGINT');
    await expectClosed(downloads);
  });

  it('Ctrl-C ends a look at a name, and nothing is remembered of it', async () => {
    await mount.foreignWrite('unheard/else', '');
    await mount.run('ls -l');
    const stalled = stalls({ operation: 'headObject', key: 'unheard/of' });
    const { child, ended } = begin('stat', 'unheard/of');
    const looks = await stalled('HEAD', 'unheard/of');
    child.kill('SIGINT');

    expect(await ended).toBe('SIGINT');
    await expectClosed(looks);
    mount.server.faults.clear();
    await mount.direct.putObject(mount.bucket, 'unheard/of', uploadOf('now'));
    expect((await mount.run('cat unheard/of')).output).toBe('now');
  });

  it('Ctrl-C ends a listing, and the request for its page [interrupt/given-up]', async () => {
    await mount.foreignWrite('folder/file', '');
    await mount.run('ls -l');
    const stalled = stalls({ operation: 'listObjects', key: 'folder' });
    const { child, ended } = begin('ls', 'folder');
    const pages = await stalled('GET', 'folder');
    child.kill('SIGINT');

    expect(await ended).toBe('SIGINT');
    await expectClosed(pages);
  });
});

describe('a program with a timer that rings twenty times a second', () => {
  const PROGRAM = `
    use Time::HiRes qw(setitimer ITIMER_REAL);
    my ($rings, $interrupts) = (0, 0);
    $SIG{ALRM} = sub { $rings++ };
    setitimer(ITIMER_REAL, 0.05, 0.05);
    my $bytes = 0;
    for my $name (map { "file$_" } 1 .. 8) {
      my $file;
      until (open $file, "<", $name) { $!{EINTR} ? $interrupts++ : die "open: $!" }
      for (;;) {
        my $count = sysread $file, my $buffer, 65536;
        if (!defined $count) { $!{EINTR} ? $interrupts++ : die "read: $!"; next }
        last unless $count;
        $bytes += $count;
      }
    }
    print "$bytes bytes, interrupts: $interrupts, ", $rings > 3 ? "it rang" : "silence";
  `;

  // Should the machine stand still for three seconds, the program is right to be interrupted: then once more.
  it('reads through slow requests and never hears of it [interrupt/patience]', { retry: 5 }, async () => {
    const slow = await MountedBucket.open({ driver: 'kernel', slowness: 6 });
    try {
      slow.startTimer();
      for (let n = 1; n <= 8; n += 1) {
        await slow.direct.putObject(slow.bucket, `file${n}`, uploadOf(Buffer.alloc(100_000)));
      }
      slow.server.faults.add({ times: Infinity, fault: { kind: 'delay', milliseconds: 100 } });

      expect((await slow.run('perl -e "$1"', PROGRAM)).output).toBe('800000 bytes, interrupts: 0, it rang');
    } finally {
      await slow.close();
    }
  });
});
