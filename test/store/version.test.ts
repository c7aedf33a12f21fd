/** Is this still the same file content? */
import { describe, expect, it } from 'vitest';
import { Version, type VersionFacts } from '../../src/store/version.ts';

const MD5 = '5d41402abc4b2a76b9719d911017c592';
const at = (second: number): Date => new Date(second * 1000);
const span = { from: 100_000, to: 110_000 };

function uploaded(storedWithin: typeof span | null = span): Version {
  return Version.uploaded({ size: 5, md5: MD5, storedWithin, contentType: 'a/b' }, at(100));
}

function facts(change: Partial<VersionFacts> = {}): VersionFacts {
  return { size: 5, etag: MD5, lastModified: at(105), ...change };
}

describe('a version that the service told', () => {
  it('is the same while size and ETag are', () => {
    const version = Version.told(facts({ etag: 'e' }));

    expect(version.matches(facts({ etag: 'e', lastModified: at(500), contentType: 'c/d' }))).toBe(true);
    expect(version.contentType).toBe('c/d');
    expect(version.matches(facts({ etag: 'other' }))).toBe(false);
    expect(version.matches(facts({ etag: 'e', size: 6 }))).toBe(false);
  });

  it('knows its MD5 only from an ETag that is one', () => {
    expect(Version.told(facts()).md5).toBe(MD5);
    expect(Version.told(facts({ etag: `${MD5}-1` })).md5).toBeNull();
  });
});

describe('our upload without a name', () => {
  it('takes the ETag that is the MD5 of our bytes, whatever the clock says, and keeps its cached bytes', () => {
    const version = uploaded(null);
    const { id, lineage } = version;

    expect(version.matches(facts({ etag: MD5.toUpperCase(), lastModified: at(9999) }))).toBe(true);

    expect(version.etag).toBe(MD5.toUpperCase());
    expect(version).toMatchObject({ id, lineage });
  });

  it.each([98, 105, 112])(
    'is ours by size and time at %i s when the ETag is no MD5, with a new id',
    (second) => {
      const version = uploaded();
      const { id, lineage } = version;

      expect(version.matches(facts({ etag: 'e-1', lastModified: at(second) }))).toBe(true);

      expect(version.id).not.toBe(id);
      expect(version.lineage).not.toBe(lineage);
    },
  );

  it.each([97, 113])('is not ours by time at %i s', (second) => {
    const version = uploaded();

    expect(version.matches(facts({ etag: 'e-1', lastModified: at(second) }))).toBe(false);

    expect(version.etag).toBeNull();
  });

  it('is not ours when the ETag is the MD5 of other bytes, or the size differs, or no clock is known', () => {
    expect(uploaded().matches(facts({ etag: '0'.repeat(32) }))).toBe(false);
    expect(uploaded().matches(facts({ size: 6 }))).toBe(false);
    expect(uploaded(null).matches(facts({ etag: 'e-1' }))).toBe(false);
  });

  it.each([
    ['its MD5', (version: Version) => version.matches(facts({ etag: MD5 }))],
    ['its time', (version: Version) => version.matches(facts({ etag: 'e-1' }))],
    [
      'its bytes',
      (version: Version) => {
        version.takeName(facts({ etag: 'e-1' }));
      },
    ],
  ])('lets go of its time when it is named by %s', (_, name) => {
    const version = uploaded();
    name(version);

    expect(version.own).toEqual({ size: 5, md5: MD5, storedWithin: null, contentType: 'a/b' });
  });

  it('keeps the name that it once took', () => {
    const version = uploaded();
    version.matches(facts());

    expect(version.matches(facts({ etag: 'e-1' }))).toBe(false);
  });
});

describe('two versions', () => {
  it('are the same content when the service told the same of both', () => {
    const version = uploaded();

    expect(version.isSame(version)).toBe(true);
    expect(version.isSame(uploaded())).toBe(false);
    expect(version.isSame(Version.told(facts()))).toBe(true);
    expect(version.isSame(Version.told(facts({ etag: 'e' })))).toBe(false);
  });
});
