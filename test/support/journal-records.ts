/** What a journal or a header may hold: plain examples, and any. */
import fc from 'fast-check';
import type { DraftFacts } from '../../src/content/draft-facts.ts';
import type {
  DeletionRecord,
  DraftRecord,
  RenameRecord,
  RenameStepRecord,
  ShelvedRecord,
} from '../../src/content/journal/records.ts';

type VersionRecord = DeletionRecord['versions'][number];

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

const untried = { attempts: 0, lastFailure: null } as const;

export function draftRecordOf(id: string, changes: Partial<DraftRecord> = {}): DraftRecord {
  const plain = {
    id,
    sequence: 1,
    isAhead: false,
    state: 'queued',
    reason: null,
    unconfirmed: [],
    visibilityBefore: null,
  } as const;
  return { ...plain, ...untried, facts: draftFactsOf(`key-of-${id}`), publish: null, ...changes };
}

export const someVersionRecord: VersionRecord = {
  size: 3,
  etag: 'e',
  md5: null,
  lastModified: 5,
  storedWithin: null,
  contentType: null,
};

export function deletionOf(sequence: number, changes: Partial<DeletionRecord> = {}): DeletionRecord {
  const plain = {
    sequence,
    key: 'k',
    versions: [someVersionRecord],
    state: 'queued',
    requestedAt: 7,
  } as const;
  return { ...plain, ...untried, ...changes };
}

export function renameOf(id: string, changes: Partial<RenameRecord> = {}): RenameRecord {
  const plain = { id, sequence: 1, kind: 'folder', from: 'a/', to: 'b/' } as const;
  return { ...plain, startedAt: 9, ...changes };
}

export function renameStepOf(rename: string, index: number): RenameStepRecord {
  const plain = { rename, index, from: `a/${index}`, to: `b/${index}`, state: 'planned' } as const;
  return { ...plain, source: someVersionRecord, copy: null, replaced: null, visibility: null, drafts: [] };
}

export function shelvedOf(id: string): ShelvedRecord {
  const plain = { id, path: '/.x.swp', kind: 'swap', createdAt: 1, local: {} } as const;
  return { ...plain, contentType: null, visibility: null };
}

const time = (): fc.Arbitrary<number> =>
  fc.double({ min: 0, max: 4e12, noNaN: true }).map((value) => value + 0);
const text = (): fc.Arbitrary<string> => fc.string({ unit: 'binary', maxLength: 30 });
const nullable = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(value, { nil: null });
const visibility = fc.constantFrom('private', 'public', null);

function someVersion(): fc.Arbitrary<VersionRecord> {
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
    visibility,
    local: someLocalAttributes(),
    createdAt: time(),
    sealed: nullable(fc.record({ size: fc.maxSafeNat(), md5: nullable(text()), at: time() })),
  });
}

const tries = {
  attempts: fc.nat(),
  lastFailure: nullable(fc.record({ at: time(), code: text(), message: text() })),
};

/** Few identifiers, so that records replace each other. */
const fewIds = fc.constantFrom('one', 'two', 'three');

export function someDraftRecord(): fc.Arbitrary<DraftRecord> {
  return fc.record({
    id: fewIds,
    sequence: fc.nat(),
    isAhead: fc.boolean(),
    state: fc.constantFrom(
      'open',
      'sealed',
      'queued',
      'uploading',
      'end unknown',
      'failed',
      'set aside',
      'stored',
    ),
    facts: someDraftFacts(),
    reason: nullable(text()),
    unconfirmed: fc.array(someVersion(), { maxLength: 2 }),
    visibilityBefore: visibility,
    publish: nullable(someVersion()),
    ...tries,
  });
}

export function someDeletion(): fc.Arbitrary<DeletionRecord> {
  return fc.record({
    sequence: fc.nat(3),
    key: text(),
    versions: fc.array(someVersion(), { maxLength: 2 }),
    state: fc.constantFrom('queued', 'end unknown', 'failed', 'dropped'),
    requestedAt: time(),
    ...tries,
  });
}

export function someRenameStep(): fc.Arbitrary<RenameStepRecord> {
  return fc.record({
    rename: fewIds,
    index: fc.nat(3),
    from: text(),
    to: text(),
    state: fc.constantFrom('planned', 'copying'),
    source: nullable(someVersion()),
    copy: nullable(someVersion()),
    replaced: nullable(someVersion()),
    visibility,
    drafts: fc.array(fc.uuid(), { maxLength: 3 }),
  });
}
