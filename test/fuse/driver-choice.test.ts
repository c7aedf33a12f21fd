import { describe, expect, it } from 'vitest';
import { defaultDriver } from '../../src/fuse/driver-choice.ts';

describe('a mount that asks for no driver', () => {
  it.each([
    ['linux', 'kernel'],
    ['darwin', 'native'],
  ] as const)('gets on %s the %s one', (platform, driver) => {
    expect(defaultDriver(platform)).toBe(driver);
  });
});
