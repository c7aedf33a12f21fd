/** What a journal or a header may hold: plain examples, and any. */
import fc from 'fast-check';
import type { DraftFacts } from '../../src/content/draft-facts.ts';

export function draftFactsOf(key: string, changes: Partial<DraftFacts> = {}): DraftFacts {
  const plain = {
    key,
    base: null,
    basis: 'rewrite',
    contentType: null,
    visibility: null,
    local: {},
  } as const;
  return { ...plain, createdAt: 1000, sealed: null, ...changes };
}

const time = (): fc.Arbitrary<number> =>
  fc.double({ min: 0, max: 4e12, noNaN: true }).map((value) => value + 0);
const text = (): fc.Arbitrary<string> => fc.string({ unit: 'binary', maxLength: 30 });
const nullable = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(value, { nil: null });

function someVersion(): fc.Arbitrary<NonNullable<DraftFacts['base']>> {
  return fc.record({
    size: fc.maxSafeNat(),
    etag: nullable(text()),
    md5: nullable(text()),
    lastModified: time(),
    storedWithin: nullable(fc.record({ from: time(), to: time() })),
    contentType: nullable(text()),
  });
}

function someLocalAttributes(): fc.Arbitrary<DraftFacts['local']> {
  const numbers = {
    mode: fc.nat(),
    uid: fc.nat(),
    gid: fc.nat(),
    atime: time(),
    mtime: time(),
    ctime: time(),
  };
  return fc.record(numbers, { requiredKeys: [], noNullPrototype: true });
}

export function someDraftFacts(): fc.Arbitrary<DraftFacts> {
  return fc.record({
    key: text().filter((key) => key !== ''),
    base: nullable(someVersion()),
    basis: fc.constantFrom('edit', 'rewrite'),
    contentType: nullable(text()),
    visibility: fc.constantFrom('private', 'public', null),
    local: someLocalAttributes(),
    createdAt: time(),
    sealed: nullable(fc.record({ size: fc.maxSafeNat(), md5: nullable(text()), at: time() })),
  });
}
