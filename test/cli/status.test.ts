/** What does `pailfs status` make of what is recorded? On real mounts: test/mount/cli-status.test.ts. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  readRecords,
  readRecordsOf,
  removeRecord,
  writeRecord,
} from '../../src/cli/found-mounts/mount-record.ts';
import type { StatusDocument } from '../../src/cli/control/control-documents.ts';
import { summaryOf } from '../../src/cli/control/unsent-summary.ts';
import { statusOf, type Machine, type MountStatus } from '../../src/cli/found-mounts/mount-status.ts';
import { awayLines, statusTable, waitingLines } from '../../src/cli/status/status-table.ts';
import { localMinute } from '../support/local-minute.ts';
import { CommandLine } from '../support/command-line.ts';
import { mountRecordOf } from '../support/mount-record.ts';
import { quietMount } from '../support/quiet-mount.ts';
import { unsentChangeOf } from '../support/unsent-change.ts';

const RECORD = mountRecordOf({ stateDir: '/home/me/.local/state/pailfs' });
const SCRATCH = unsentChangeOf({ kind: 'scratch', state: 'local', path: '/.notes.swp' });
const LIVE: StatusDocument = {
  phase: 'serving',
  stateDirectories: ['/state'],
  inactive: [],
  options: {},
  bytesSent: 0,
  ...quietMount,
  waiting: summaryOf([SCRATCH]),
  changes: [SCRATCH],
};
/** Two minutes after the mount began. */
const NOW = Date.parse('2026-03-04T05:08:07.000Z');
const STATUS: MountStatus = {
  mountpoint: RECORD.mountpoint,
  bucket: 'photos',
  baseUrl: RECORD.baseUrl,
  driver: 'kernel',
  pid: 4711,
  since: RECORD.since,
  readOnly: false,
  mayWrite: true,
  state: 'serving',
  logFile: null,
  live: LIVE,
  unsent: [],
};
const WELL: Machine = {
  isMounted: () => true,
  isRunning: () => Promise.resolve(true),
  probe: () => Promise.resolve('answers'),
  ask: () => Promise.resolve(LIVE),
};

describe('the state of a mount', () => {
  it.each<[MountStatus['state'], string, Partial<Machine>]>([
    ['serving', 'it answers', {}],
    ['serving', 'it lets nobody else in', { probe: () => Promise.resolve('hidden') }],
    ['serving', 'this machine cannot start who looks', { probe: () => Promise.resolve('unknown') }],
    ['silent', 'it does not answer', { probe: () => Promise.resolve('silent') }],
    ['finishing', 'only its process is there', { isMounted: () => false }],
    ['dead', 'only its mount is there', { isRunning: () => Promise.resolve(false) }],
    ['ended', 'neither is there', { isMounted: () => false, isRunning: () => Promise.resolve(false) }],
  ])('is "%s" when %s', async (state, _when, machine) => {
    const live = state === 'dead' || state === 'ended' ? null : LIVE;
    expect(await statusOf([RECORD], { ...WELL, ...machine })).toEqual([{ ...STATUS, state, live }]);
  });

  it.each<[MountStatus['state'], string, boolean]>([
    ['finishing', 'still runs', true],
    ['ended', 'is gone', false],
  ])('is "%s" where the next mount has taken its place and its process %s', async (state, _when, runs) => {
    const next = { ...RECORD, since: '2026-03-04T06:06:07.000Z', process: { pid: 4712, startTime: '2' } };
    const isRunning: Machine['isRunning'] = ({ pid }) => Promise.resolve(runs || pid === 4712);

    expect(await statusOf([RECORD, next], { ...WELL, isRunning })).toMatchObject([
      { pid: 4712, state: 'serving' },
      { pid: 4711, state },
    ]);
  });

  it('is not asked of a mount whose process is gone, which would never answer', async () => {
    const probe = (): never => {
      throw new Error('asked');
    };
    const isRunning = (): Promise<boolean> => Promise.resolve(false);

    expect(await statusOf([RECORD], { ...WELL, isRunning, probe })).toMatchObject([{ state: 'dead' }]);
  });

  it('is told in the order of mountpoints', async () => {
    const records = ['/c', '/a', '/b'].map((mountpoint) => ({ ...RECORD, mountpoint }));

    expect((await statusOf(records, WELL)).map(({ mountpoint }) => mountpoint)).toEqual(['/a', '/b', '/c']);
  });
});

describe('the records of mounts', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'pailfs-records-'));
  });
  afterEach(async () => {
    await rm(home, { recursive: true });
  });

  it('are found wherever they may be, without what is no record', async () => {
    await mkdir(join(home, 'one'));
    await mkdir(join(home, 'two'));
    await writeRecord(join(home, 'one'), RECORD);
    await writeRecord(join(home, 'two'), { ...RECORD, mountpoint: '/other' });
    await writeFile(join(home, 'one', 'broken.json'), '{');
    await writeFile(join(home, 'one', 'odd.json'), '{"mountpoint": 1}');

    const found = await readRecords([join(home, 'one'), join(home, 'missing'), join(home, 'two')]);

    expect(found.map(({ mountpoint }) => mountpoint)).toEqual(['/home/me/photos', '/other']);
  });

  it('of an earlier pailfs, one a mountpoint, are read, and removed with their process alone', async () => {
    const name = createHash('sha256').update(RECORD.mountpoint).digest('hex').slice(0, 32);
    const next = { ...RECORD, since: '2026-03-04T06:06:07.000Z', process: { pid: 4712, startTime: '2' } };
    await writeFile(join(home, `${name}.json`), JSON.stringify(RECORD));
    await writeRecord(home, next);

    const both = await readRecordsOf([home], RECORD.mountpoint);
    await removeRecord([home], next);
    const earlier = await readRecordsOf([home], RECORD.mountpoint);
    await removeRecord([home], RECORD);

    expect(both).toEqual([next, RECORD]);
    expect(earlier).toEqual([RECORD]);
    expect(await readdir(home)).toEqual([]);
  });
});

describe('the table', () => {
  const long = { ...STATUS, mountpoint: `/home/me/${'deep/'.repeat(30)}photos`, readOnly: true };

  it('has a line for each mount, as wide as need be where nothing limits it', () => {
    const [titles, first, second] = statusTable([STATUS, long], undefined, NOW).split('\n');

    expect(titles).toMatch(/^MOUNTPOINT +BUCKET +SERVICE +DRIVER +PID +UP +MODE +STATE$/);
    expect(first).toMatch(
      /^\/home\/me\/photos +photos +https:\/\/storage.example.com +kernel +4711 +2 min +rw +serving$/,
    );
    expect(second).toContain(`${long.mountpoint}  photos`);
    expect(second).toMatch(/ro +serving$/);
  });

  it.each([80, 100, 120])('keeps to a terminal of %i columns, and shows what is short whole', (width) => {
    const lines = statusTable([STATUS, long], width, NOW).trimEnd().split('\n');

    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    for (const line of lines.slice(1)) expect(line).toMatch(/kernel +4711 +2 min +r[ow] +serving$/);
    expect(lines[2]).toMatch(/^\/home\/\S*…/);
  });

  it('has a line for each fact where the columns do not fit, and loses none', () => {
    const text = statusTable([long, STATUS], 30, NOW);

    const lines = text.trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30);
    expect(text.replaceAll(/\n +/g, '')).toContain(`MOUNTPOINT  ${long.mountpoint}\n`);
    expect(text.split('\n\n')[1]).toMatch(
      /^MOUNTPOINT {2}\/home\/me\/photos\nBUCKET {6}photos\n[^]*\nMODE {8}rw\nSTATE {7}serving\n$/,
    );
  });

  it('shows a mount as read-only whether that was asked for, or its credentials may do no more', () => {
    const mounts = [STATUS, { ...STATUS, readOnly: true }, { ...STATUS, mayWrite: false }];

    const [, ...lines] = statusTable(mounts, 80, NOW).trimEnd().split('\n');

    expect(lines.map((line) => / (r[ow]) +serving$/.exec(line)?.[1])).toEqual(['rw', 'ro', 'ro']);
  });

  it('shows no name that would move the cursor', () => {
    expect(statusTable([{ ...STATUS, mountpoint: '/a\u001b[2J\nb' }], 80, NOW)).toContain('/a?[2J?b');
  });
});

it('the lines about services name each that is away, for how long, and the mount that it serves', () => {
  const liveWith = (since: Partial<StatusDocument['traffic']>): StatusDocument => ({
    ...LIVE,
    traffic: { ...quietMount.traffic, ...since },
  });
  const offline = liveWith({ offlineSince: '2026-03-04T05:07:07.000Z' });
  const silent = liveWith({ silentSince: '2026-03-04T05:08:00.000Z' });
  const statuses = [
    STATUS,
    { ...STATUS, mountpoint: '/offline', live: offline },
    { ...STATUS, mountpoint: '/silent', live: silent },
    { ...STATUS, state: 'dead' as const, live: null },
  ];

  const [first, ...others] = awayLines(statuses, NOW).split('\n');

  const since = localMinute('2026-03-04T05:07:07.000Z');
  expect(first).toBe(`/offline: ${STATUS.baseUrl} offline since ${since} (60 s)`);
  expect(others).toEqual([`/silent: ${STATUS.baseUrl} has not answered for 7 s`, '']);
});

describe('the lines about what is not stored', () => {
  it('have the sums of each mount that has any, and what is worth a row', () => {
    const stored = { ...STATUS, live: { ...LIVE, waiting: summaryOf([]), changes: [] } };
    const failed = unsentChangeOf({
      path: '/paused.txt',
      attempts: 2,
      code: 'EDQUOT',
      reason: 'the account is in its grace period',
    });
    const waiting = { ...LIVE, waiting: summaryOf([failed]), changes: [failed] };

    const lines = waitingLines([STATUS, stored, { ...STATUS, mountpoint: '/m', live: waiting }], 100, NOW);

    expect(lines.split('\n')).toEqual([
      'not stored in /home/me/photos: 1 scratch file on this machine alone',
      expect.stringMatching(/^ID +WHAT +STATE +SIZE +AGE +TRIES +PATH +WHY$/),
      expect.stringMatching(/^01234567 +scratch +local +4\.1 kB +5 h +0 +\/\.notes\.swp$/),
      'not stored in /m: 1 file (4.1 kB), 1 failed',
      expect.stringMatching(/^ID +WHAT/),
      expect.stringMatching(/ failed .* 2 +\/paused\.txt +EDQUOT: the account is in its grace$/),
      expect.stringMatching(/^ {50,}period$/),
      '',
    ]);
    expect(Math.max(...lines.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('say the whole reason, too, where it has no place beside the path', () => {
    const reason = 'the service takes no file of this size: 5368709120 bytes';
    const failed = unsentChangeOf({ path: '/archive/2026/backup.tar', code: 'EFBIG', reason });
    const live = { ...LIVE, waiting: summaryOf([failed]), changes: [failed] };

    const [, , row, ...below] = waitingLines([{ ...STATUS, live }], 80, NOW)
      .trimEnd()
      .split('\n');

    expect(row).toMatch(/ \/archive\/2026\/backup\.tar$/);
    expect(below).toEqual([`    EFBIG: ${reason}`]);
  });

  it('have what an ended mount could not store', () => {
    const unsent = [{ path: '/f', file: '/state/drafts/1', reason: 'reset' }];

    expect(waitingLines([{ ...STATUS, state: 'ended', live: null, unsent }], undefined, NOW)).toBe(
      'not stored: /f (reset), kept in /state/drafts/1\n',
    );
  });

  it('say of a deletion that it was not done: it has no bytes', () => {
    const unsent = [{ path: '/f', file: '', reason: 'not deleted yet: reset', bytes: 0 }];

    const lines = waitingLines([{ ...STATUS, live: null, unsent }], 80, NOW);

    expect(lines).toBe('/f is not deleted yet: reset\n');
  });

  it('count what was set aside once, be it a file or a deletion', () => {
    const changes = [
      unsentChangeOf({ state: 'set aside', path: '/f' }),
      unsentChangeOf({ kind: 'delete', state: 'set aside', path: '/g' }),
      unsentChangeOf({ kind: 'delete', state: 'queued', path: '/h' }),
    ];

    const lines = waitingLines(
      [{ ...STATUS, live: { ...LIVE, waiting: summaryOf(changes), changes: [] } }],
      80,
      NOW,
    );

    expect(lines).toBe(`not stored in ${STATUS.mountpoint}: 2 set aside, 1 delete\n`);
  });

  it('are not hundreds, where it could not store hundreds of files', () => {
    const unsent = Array.from({ length: 300 }, (_, index) => ({
      path: `/f${index}`,
      file: `/state/drafts/${index}`,
      reason: 'reset',
    }));

    const lines = waitingLines([{ ...STATUS, state: 'ended', live: null, unsent }], undefined, NOW)
      .trimEnd()
      .split('\n');

    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('not stored: 280 more; "pailfs uploads /home/me/photos" shows all');
  });
});

describe('pailfs status', () => {
  it('fails for a directory that is no mount of pailfs, in one line', async () => {
    const at = await CommandLine.open({
      baseUrl: '',
      credentials: { accessKeyId: '', secretAccessKey: '' },
    });

    const outcome = await at.run(['status', at.mountpoint]);

    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: `pailfs: ${at.mountpoint} is no mount of pailfs: "pailfs status" lists them\n`,
    });
  });
});
