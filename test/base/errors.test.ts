/** How errors are said in a line, and told apart by name. */
import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { describeError, systemErrorCode } from '../../src/base/errors.ts';

it('a system error that Node has no name for has the one that the platform knows', () => {
  const unknown = `Unknown system error -${String(constants.errno.EDQUOT)}`;
  const error = Object.assign(new Error(`${unknown}: ${unknown}, write`), {
    errno: -constants.errno.EDQUOT,
    code: unknown,
    syscall: 'write',
  });

  expect(systemErrorCode(error)).toBe('EDQUOT');
  expect(describeError(new Error('the draft took no bytes', { cause: error }))).toBe(
    'the draft took no bytes: EDQUOT, write',
  );
});

it('an error that Node names keeps its name and its words', () => {
  const error = Object.assign(new Error('ENOENT: no such file, open'), {
    errno: -constants.errno.ENOENT,
    code: 'ENOENT',
    syscall: 'open',
  });

  expect(systemErrorCode(error)).toBe('ENOENT');
  expect(describeError(error)).toBe('ENOENT: no such file, open');
});
