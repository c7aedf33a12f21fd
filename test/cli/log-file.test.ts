/** Where do the lines of a mount go that lives for weeks? */
import {
  closeSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Log } from '../../src/base/log.ts';
import { openLogFile } from '../../src/cli/logging/log-file.ts';
import { openLog } from '../../src/cli/logging/log-output.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Scene {
  readonly log: Log;
  readonly folder: string;
  readonly path: string;
  /** Longer than between two looks at the file. */
  readonly later: () => void;
}

async function arrange(): Promise<Scene> {
  const folder = join(await temporaryDirectory(), 'logs');
  const path = join(folder, 'log');
  const clock = new ManualClock();
  const descriptor = openLogFile(path);
  const log = openLog({ descriptor, followed: { path, clock }, debug: false, fields: {} });
  log.info('one');
  const later = (): void => {
    clock.advance(5000);
  };
  return { log, folder, path, later };
}

function messagesIn(file: string): readonly string[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
}

it('into a new file when somebody has renamed the one before, as logrotate does', async () => {
  const { log, path, later } = await arrange();
  renameSync(path, `${path}.old`);
  log.info('two');
  later();

  log.info('three');
  log.info('four');

  expect(messagesIn(`${path}.old`)).toEqual(['one', 'two']);
  expect(messagesIn(path)).toEqual(['three', 'four']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('into a new file when somebody has removed the one before, again and again', async () => {
  const { log, path, later } = await arrange();

  for (const message of ['two', 'three']) {
    rmSync(path);
    later();
    log.info(message);

    expect(messagesIn(path)).toEqual([message]);
  }
});

it('into a new file when the one before has grown too long, which is kept beside it', async () => {
  const { log, path, later } = await arrange();
  truncateSync(path, 17 * 1024 * 1024);
  log.info('the last');
  later();

  log.info('the first');

  expect(messagesIn(path)).toEqual(['the first']);
  expect(statSync(`${path}.1`).size).toBeGreaterThan(17 * 1024 * 1024);
});

it('on into what was there, which two mounts may share, where another has begun a new one', async () => {
  const { log, path, later } = await arrange();
  renameSync(path, `${path}.1`);
  const other = openLog({ descriptor: openLogFile(path), debug: false, fields: {} });
  other.info('of the other');
  later();

  log.info('two');

  expect(messagesIn(path)).toEqual(['of the other', 'two']);
});

it('on into the same file while a directory is missing, or something else has its name', async () => {
  const { log, folder, path, later } = await arrange();
  renameSync(folder, `${folder}.away`);
  later();
  log.info('two');
  const isMade = existsSync(folder);
  mkdirSync(folder);
  // To open it would wait for somebody who reads.
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
  later();

  log.info('three');

  expect(isMade).toBe(false);
  expect(messagesIn(join(`${folder}.away`, 'log'))).toEqual(['one', 'two', 'three']);
});

it('not into a pipe that nobody reads: to open it would wait for somebody who does', async () => {
  const path = join(await temporaryDirectory(), 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
  // Long after: only so that who waits for it ends.
  const late = spawn('sh', ['-c', 'sleep 20; exec cat "$1"', 'sh', path]);
  onTestFinished(() => void late.kill());

  expect(() => openLogFile(path)).toThrow('it is a pipe that nobody reads');
});

it('into a pipe, without waiting for who has stopped to read it', async () => {
  const path = join(await temporaryDirectory(), 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
  // It reads on when it is told to, or long after: only so that who waits for it ends.
  const script =
    'exec < "$1"; n=0; while [ ! -e "$1.go" ] && [ $n -lt 200 ]; do sleep 0.1; n=$((n + 1)); done; exec cat > "$1.read"';
  const reader = spawn('sh', ['-c', script, 'sh', path]);
  const descriptor = await vi.waitFor(() => openLogFile(path));
  const log = openLog({ descriptor, followed: undefined, debug: false, fields: {} });

  for (let line = 0; line < 1000; line += 1) log.info('a line that is of some length, as lines of a log are');
  const hasWaited = existsSync(`${path}.read`);
  writeFileSync(`${path}.go`, '');
  closeSync(descriptor);
  await once(reader, 'close');

  expect(hasWaited).toBe(false);
  expect(readFileSync(`${path}.read`, 'utf8')).toContain('a line that is of some length');
});

it('on into a device', async () => {
  const path = join(await temporaryDirectory(), 'log');
  const clock = new ManualClock();
  const descriptor = openLogFile('/dev/null');
  const log = openLog({ descriptor, followed: { path, clock }, debug: false, fields: {} });
  clock.advance(5000);

  log.info('two');

  expect(existsSync(path)).toBe(false);
  closeSync(descriptor);
});
