/** SEMANTICS: what a program hears of each answer, the table of errors line by line. */
import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { errnoOf, toFsError } from '../../src/filesystem/errno-of.ts';
import { kindOfStatus } from '../../src/client/refusals.ts';
import { Refusal, type Operation, type RefusalKind } from '../../src/service/refusal.ts';

it.each<[number, string, Operation?]>([
  [401, 'EACCES'],
  [403, 'EACCES'],
  [402, 'EDQUOT', 'putObject'],
  [404, 'ENOENT'],
  [404, 'EIO', 'putObject'],
  [404, 'EIO', 'listObjects'],
  [413, 'EFBIG', 'putObject'],
  [507, 'ENOSPC', 'putObject'],
  [400, 'EINVAL'],
  [409, 'EIO'],
  [410, 'EIO'],
  [418, 'EIO'],
  [302, 'EIO'],
  [408, 'EIO'],
  [429, 'EIO'],
  [500, 'EIO'],
  [501, 'EIO'],
  [503, 'EIO'],
])('status %i is %s [errors/table]', (status, errno, operation = 'headObject') => {
  const kind = kindOfStatus({ operation }, { status, isPage: false });

  expect(errnoOf(new Refusal(kind, 'no', { operation, status }))).toBe(errno);
});

it.each<[RefusalKind, string]>([
  ['timeout', 'ETIMEDOUT'],
  ['unavailable', 'EIO'],
  ['malformed', 'EIO'],
])('no answer, or an odd one (%s), is %s [errors/table]', (kind, errno) => {
  expect(errnoOf(new Refusal(kind, 'no', { operation: 'listObjects' }))).toBe(errno);
});

it('a place that the local disk has no file for is EFBIG', () => {
  const refused = Object.assign(new Error('write'), { errno: -constants.errno.EFBIG, code: 'EFBIG' });

  expect(toFsError(refused, '/f').code).toBe('EFBIG');
});

it.each(['ENOSPC', 'EDQUOT'] as const)(
  'a local disk without room (%s) is ENOSPC [write/no-space]',
  (name) => {
    // As Node throws it: by its number, and not always by its name.
    const errno = -constants.errno[name];
    const full = Object.assign(new Error('write'), { errno, code: name === 'EDQUOT' ? 'unknown' : name });

    expect(toFsError(full, '/f').code).toBe('ENOSPC');
  },
);

it.each(['EMFILE', 'ENFILE'])(
  'a mount that may open no more files (%s) is ENFILE [errors/too-many]',
  (code) => {
    const refused = Object.assign(new Error('open'), { code });

    expect(toFsError(refused, '/f').code).toBe('ENFILE');
  },
);
