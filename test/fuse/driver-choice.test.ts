import { describe, expect, it } from 'vitest';
import { defaultDriver } from '../../src/fuse/driver-choice.ts';

describe('a mount that asks for no driver', () => {
  it.each([
    ['linux', 0, 'kernel'],
    ['linux', 1000, 'native'],
    ['darwin', 0, 'native'],
  ] as const)('gets on %s, for user %i, the %s one', (platform, uid, driver) => {
    expect(defaultDriver(uid, platform)).toBe(driver);
  });
});
