import { describe, expect, it } from 'vitest';
import { nativeOptionString } from '../../../src/fuse/native/option-string.ts';

describe('the option string for libfuse', () => {
  const plain = { source: 'pailfs', readOnly: false, allowOther: false };

  it('says everything explicitly, the source last', () => {
    expect(nativeOptionString(plain)).toBe(
      '-obig_writes,max_background=128,atomic_o_trunc,entry_timeout=0,attr_timeout=0,negative_timeout=0,subtype=pailfs,default_permissions,fsname=pailfs',
    );
  });

  it('has ro, noexec and allow_other only when asked', () => {
    const asked = { ...plain, readOnly: true, noexec: true, allowOther: true };
    const options = nativeOptionString(asked).split(',');

    expect(options).toContain('ro');
    expect(options).toContain('noexec');
    expect(options).toContain('allow_other');
    expect(nativeOptionString(plain)).not.toMatch(/\bro\b|noexec|allow_other/);
  });

  it.each(['a,suid', 'a\\', 'a\nb', 'a\0', ''])(
    'refuses the source %j, which would smuggle something in',
    (source) => {
      expect(() => nativeOptionString({ ...plain, source })).toThrow(/mount source/);
    },
  );

  it('refuses a source that would be cut off', () => {
    expect(() => nativeOptionString({ ...plain, source: 'é'.repeat(500) })).toThrow(/too long/);
  });
});
