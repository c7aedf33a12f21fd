import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { RecentProblems } from '../../src/cli/logging/recent-problems.ts';
import { ManualClock } from '../support/manual-clock.ts';

it('the last warnings and errors are kept in words, the latest first, repeated ones once', () => {
  const written: string[] = [];
  const write = (message: string): void => {
    written.push(message);
  };
  const clock = new ManualClock(Date.parse('2026-03-04T05:06:07.000Z'));
  const problems = new RecentProblems({ ...silentLog, info: write, warn: write, error: write }, clock);

  for (let n = 1; n <= 6; n += 1) problems.warn(`old ${n}`);
  problems.info('all is well');
  problems.warn('an operation failed', { operation: 'open', path: '/a', errno: 'EIO', cause: 'reset' });
  clock.advance(1000);
  problems.warn('an operation failed', { operation: 'open', path: '/a', errno: 'EIO', cause: 'reset' });
  problems.error('the disk\nis full', { error: new Error('no space') });

  expect(problems.latest.map(({ text, times }) => [text, times])).toEqual([
    ['the disk is full: no space', 1],
    ['an operation failed: /a: reset', 2],
    ['old 6', 1],
    ['old 5', 1],
    ['old 4', 1],
  ]);
  expect(problems.latest[1]?.at).toBe('2026-03-04T05:06:08.000Z');
  expect(written).toHaveLength(10);
});

it('what happened in one of all buckets is named with its bucket, as the mount names it', () => {
  const problems = new RecentProblems(silentLog, new ManualClock(0));

  problems.warn('an operation failed', { bucket: 'photos', path: '/a', cause: 'reset' });

  expect(problems.latest[0]?.text).toBe('an operation failed: /photos/a: reset');
});
