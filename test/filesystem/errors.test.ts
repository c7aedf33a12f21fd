import { expect, it } from 'vitest';
import { FsError, type ErrnoName } from '../../src/filesystem/errors.ts';

const framesOf = (code: ErrnoName): string[] =>
  (new FsError(code, '/f', 'because').stack ?? '').split('\n').slice(1);

it.each<ErrnoName>(['ENOENT', 'ENODATA', 'ENOTSUP'])(
  '%s, which programs hear all day, gathers no stack',
  (code) => {
    expect(framesOf(code)).toEqual([]);
  },
);

it('says of any other error where it comes from, also after those', () => {
  framesOf('ENOENT');

  expect(framesOf('EIO').join()).toContain('errors.test.ts');
});
