import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { errnoNumber } from '../../src/fuse/errno.ts';

describe('error numbers', () => {
  it('are the platform’s own', () => {
    expect(errnoNumber('ENOENT')).toBe(2);
    expect(errnoNumber('EDQUOT')).toBe(constants.errno.EDQUOT);
    expect(errnoNumber('ESTALE')).toBe(constants.errno.ESTALE);
  });

  it('call a missing attribute ENOATTR on macOS', () => {
    expect(errnoNumber('ENODATA', 'darwin')).toBe(93);
    expect(errnoNumber('ENODATA', 'linux')).toBe(constants.errno.ENODATA);
  });
});
