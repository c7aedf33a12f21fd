/** What does `pailfs status MOUNTPOINT` say of one mount, beside its line? */
import { describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../src/cli/control/control-documents.ts';
import type { MountStatus } from '../../src/cli/found-mounts/mount-status.ts';
import { statusDetails, statusOptions } from '../../src/cli/status/status-details.ts';
import { summaryOf } from '../../src/cli/control/unsent-summary.ts';
import { localMinute } from '../support/local-minute.ts';
import { quietMount } from '../support/quiet-mount.ts';
import { unsentChangeOf } from '../support/unsent-change.ts';

const NOW = Date.parse('2026-03-04T05:06:07.000Z');

function statusWith(live: Partial<StatusDocument>): MountStatus {
  return {
    mountpoint: '/m',
    bucket: 'photos',
    baseUrl: 'https://storage.example.com',
    driver: 'kernel',
    pid: 4711,
    since: '2026-03-04T03:06:07.000Z',
    readOnly: false,
    mayWrite: true,
    state: 'serving',
    logFile: '/log',
    live: {
      phase: 'serving',
      stateDirectories: ['/state'],
      inactive: [],
      options: { metadata_ttl: 10, cache: 'disk' },
      bytesSent: 0,
      ...quietMount,
      waiting: summaryOf([]),
      changes: [],
      ...live,
    },
    unsent: [],
  };
}

const BUSY = statusWith({
  traffic: {
    requests: 1234,
    failed: 3,
    bytesReceived: 5_000_000,
    bytesSent: 2000,
    perSecond: { requests: 12.34, bytesReceived: 1_000_000, bytesSent: 0 },
    offlineSince: '2026-03-04T05:03:07.000Z',
    silentSince: null,
  },
  cache: { served: { memory: 1000, disk: 2000, service: 3000 }, inMemory: 4000, onDisk: 5000 },
  hiddenKeys: 1,
  problems: [
    { at: '2026-03-04T05:06:00.000Z', times: 2, text: 'an operation failed: /a: 503' },
    { at: '2026-03-04T05:00:00.000Z', times: 1, text: 'disk full' },
  ],
  changes: [
    unsentChangeOf({ state: 'uploading', path: '/big', bytes: 1000, sent: 250 }),
    unsentChangeOf({ state: 'failed', path: '/no' }),
  ],
});

describe('the details of a mount', () => {
  it('name each bucket that is not ACTIVE, and what the service says of it [buckets/inactive]', () => {
    const inactive = [
      { name: 'photos', status: 'CREATING', statusMessage: null },
      { name: 'old', status: 'FROZEN', statusMessage: 'unpaid' },
    ];

    expect(statusDetails(statusWith({ inactive }), 80, NOW).split('\n')).toEqual(
      expect.arrayContaining([
        'notice   bucket photos is CREATING, not ACTIVE: calls may fail until it is',
        '         bucket old is FROZEN (unpaid), not ACTIVE: calls may fail until it is',
      ]),
    );
  });

  it('say what it does, with a bar for each upload under way, and what went wrong lately', () => {
    expect(statusDetails(BUSY, undefined, NOW).split('\n')).toEqual([
      'up       2 h, log in /log',
      `service  offline since ${localMinute('2026-03-04T05:03:07.000Z')} (3 min)`,
      'requests 1234 (12.3/s)  3 failed  received 5 MB (1 MB/s)  sent 2 kB (0 B/s)',
      'reads    1 kB from memory  2 kB from the disk  3 kB as it came from the service',
      'cache    4 kB in memory  5 kB on the disk',
      'hidden   1 key that cannot be shown as names',
      '=====--------------- 25% of 1 kB  /big',
      '7 s ago (2 times): an operation failed: /a: 503',
      '6 min ago: disk full',
      '',
    ]);
    expect(statusOptions(BUSY, undefined)).toBe('options  metadata_ttl=10  cache=disk\n');
  });

  it.each([
    ['has not answered for 7 s', '2026-03-04T05:06:00.000Z'],
    ['answers', '2026-03-04T05:06:05.000Z'],
    ['answers', null],
  ])('say that the service %s when a request has waited since %s', (service, silentSince) => {
    const traffic = { ...quietMount.traffic, requests: 2, silentSince };

    expect(statusDetails(statusWith({ traffic }), 80, NOW)).toContain(`service  ${service}\n`);
  });

  it('line up the bars of several uploads', () => {
    const changes = [
      unsentChangeOf({ state: 'uploading', path: '/big', bytes: 12_500_000, sent: 12_500_000 }),
      unsentChangeOf({ state: 'uploading', path: '/small', bytes: 2000, sent: 100 }),
    ];

    const bars = statusDetails(statusWith({ changes }), 80, NOW).trimEnd().split('\n').slice(-2);

    expect(bars).toEqual([
      '==================== 100% of 12.5 MB  /big',
      '=-------------------   5% of    2 kB  /small',
    ]);
  });

  it('say that the credentials may only read, unless no more was asked for [errors/denied]', () => {
    const reading = { ...statusWith({}), mayWrite: false };

    expect(statusDetails(reading, 80, NOW)).toContain('notice   these credentials may only read: ');
    expect(statusDetails({ ...reading, readOnly: true }, 80, NOW)).not.toContain('notice');
  });

  it('show what went wrong whole, on several lines', () => {
    const text =
      'a file could not be stored; its bytes are kept here: /backup.tar: the service refuses it (413)';
    const problems = [{ at: '2026-03-04T05:06:00.000Z', times: 1, text }];

    const lines = statusDetails(statusWith({ problems }), 60, NOW).trimEnd().split('\n').slice(-3);

    expect(lines).toEqual([
      '7 s ago: a file could not be stored; its bytes are',
      '         kept here: /backup.tar: the service refuses it',
      '         (413)',
    ]);
  });

  it('are short when there is nothing to say', () => {
    const details = statusDetails(statusWith({}), undefined, NOW);

    expect(details).toContain('service  not asked yet\n');
    expect(details).not.toMatch(/hidden|failed|ago|on the disk/);
  });

  it('keep to the terminal, on several lines where need be', () => {
    const lines = statusDetails(BUSY, 40, NOW).trimEnd().split('\n');

    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(lines.join('\n')).toContain('requests 1234 (12.3/s)  3 failed\n         received 5 MB (1 MB/s)\n');
  });

  it('show nothing that would move the cursor, and nothing of a mount that does not answer', () => {
    const odd = statusWith({ problems: [{ at: BUSY.since, times: 1, text: 'a\u001b[2J' }] });

    expect(statusDetails(odd, undefined, NOW)).toContain('a?[2J\n');
    expect(statusDetails({ ...BUSY, live: null }, undefined, NOW)).toBe('');
  });
});
