import { describe, expect, it } from 'vitest';
import { isHiddenPath, isListable, refuseImpossibleName } from '../../../src/fuse/native/name-rules.ts';

describe('names from libfuse', () => {
  it('are refused when they were not UTF-8 [native/replacement]', () => {
    expect(() => {
      refuseImpossibleName('/a/b\u{FFFD}');
    }).toThrow(expect.objectContaining({ code: 'EILSEQ' }));
  });

  it('are refused when any component has more than 255 bytes', () => {
    const name = 'é'.repeat(127);
    refuseImpossibleName(`/${name}x/${name}x`);

    expect(() => {
      refuseImpossibleName(`/${name}xy/a`);
    }).toThrow(expect.objectContaining({ code: 'ENAMETOOLONG' }));
  });

  it('are libfuse’s own only when spelt exactly so', () => {
    expect(isHiddenPath('/a/.fuse_hidden0000000200000001')).toBe(true);
    expect(isHiddenPath('/a/.fuse_hidden000000020000000')).toBe(false);
    expect(isHiddenPath('/a/.fuse_hidden00000002000000011')).toBe(false);
    expect(isHiddenPath('/a/x.fuse_hidden0000000200000001')).toBe(false);
    expect(isHiddenPath('/.fuse_hidden0000000200000001/a')).toBe(false);
  });

  it('are listed only when they can be asked for again [native/replacement] [native/reserved]', () => {
    expect(isListable('ordinary')).toBe(true);
    expect(isListable('\u{FFFD}')).toBe(false);
    expect(isListable('.fuse_hidden0000000200000001')).toBe(false);
  });
});
