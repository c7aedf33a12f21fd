import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogFile } from '../../src/cli/logging/log-file.ts';
import { openLog } from '../../src/cli/logging/log-output.ts';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pailfs-log-'));
});

afterEach(async () => {
  await rm(home, { recursive: true });
});

function logged(debug: boolean, fields: Record<string, unknown>): string {
  const file = join(home, 'log');
  const descriptor = openLogFile(file);
  openLog({ descriptor, debug, fields: { bucket: 'photos' } }).error('It failed', fields);
  closeSync(descriptor);
  return readFileSync(file, 'utf8');
}

describe('the log file', () => {
  it('can be read by its owner only, also when it was there with other permissions', () => {
    const file = join(home, 'deep', 'log');
    closeSync(openLogFile(file));

    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(join(home, 'open'), '', { mode: 0o644 });
    closeSync(openLogFile(join(home, 'open')));
    expect(statSync(join(home, 'open')).mode & 0o777).toBe(0o600);
  });

  it('begins a line anew after the disk took half of the one before', () => {
    const pipe = join(home, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe]);
    const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const log = openLog({ descriptor, debug: false, fields: {} });
    const into = Buffer.alloc(1024 * 1024);
    const taken = (): string => into.toString('utf8', 0, readSync(descriptor, into));
    // More than a pipe takes, in pieces that it takes in part.
    for (let line = 0; line < 10; line += 1) log.error('It failed', { cause: 'x'.repeat(10_000) });
    const before = taken();

    log.error('It is well again');

    const [rest, line, end] = taken().split('\n');
    closeSync(descriptor);
    expect(before.endsWith('\n')).toBe(false);
    expect(rest).toBe('');
    expect(JSON.parse(line ?? '')).toMatchObject({ msg: 'It is well again' });
    expect(end).toBe('');
  });

  it('begins a line of its own after half of one that a mount before has left', () => {
    const file = join(home, 'log');
    writeFileSync(file, '{"half of a li');

    const [half, line] = logged(false, {}).split('\n');

    expect(half).toBe('{"half of a li');
    expect(JSON.parse(line ?? '')).toMatchObject({ msg: 'It failed' });
  });

  it('holds one JSON document a line, with the mount it is about', () => {
    const line = JSON.parse(logged(false, { key: 'a' })) as unknown;

    expect(line).toMatchObject({ level: 'error', msg: 'It failed', bucket: 'photos', key: 'a' });
  });

  it('names an error and its causes, and shows the stack only to who debugs', () => {
    const error = new Error('outer', { cause: new Error('inner') });

    expect(JSON.parse(logged(false, { error }))).toMatchObject({ error: 'outer: inner' });
    expect(logged(true, { error })).toContain('log-output.test');
  });

  it('withholds credentials that find their way into a field', () => {
    const text = logged(true, {
      credentials: { secretAccessKey: 'hush' },
      settings: { secretAccessKey: 'hush' },
    });

    expect(text).not.toContain('hush');
  });

  it('is put aside when it has grown long', () => {
    const file = join(home, 'log');
    writeFileSync(file, '');
    truncateSync(file, 17 * 1024 * 1024);

    closeSync(openLogFile(file));

    expect(statSync(file).size).toBe(0);
    expect(statSync(`${file}.1`).size).toBe(17 * 1024 * 1024);
  });

  it('may be a device, whose permissions stay as they are', () => {
    const before = statSync('/dev/null').mode;

    closeSync(openLogFile('/dev/null'));

    expect(statSync('/dev/null').mode).toBe(before);
  });

  it('does not disturb the mount when it cannot be written', () => {
    const full = openSync('/dev/full', 'a');
    const log = openLog({ descriptor: full, debug: true, fields: {} });

    expect(() => {
      for (let n = 0; n < 3; n += 1) log.error('It failed', { n });
    }).not.toThrow();
    closeSync(full);
  });
});

describe('the log on a terminal', () => {
  it.each([
    ['has colours where the terminal has', {}, true],
    ['has none for who has set NO_COLOR', { NO_COLOR: '1' }, false],
    ['has none where the terminal says that it shows none', { TERM: 'dumb' }, false],
  ])('%s', async (_, environment, isColoured) => {
    const at = await CommandLine.open(await startEmbeddedServer());
    const launch = { typed: '', environment: { TERM: 'xterm', ...environment } };

    const { code, stdout } = await at.run(['ls', 'photos', '--debug'], launch);

    expect(code).toBe(0);
    expect(stdout).toContain('DEBUG');
    expect(stdout.includes('\u001B[')).toBe(isColoured);
  });
});
