/** What is still known of the entries of an open folder once the kernel has them, and who is told when all are? */
import { expect, it } from 'vitest';
import { STAYING } from '../../../src/base/waiter.ts';
import type { Attributes, DirectoryEntry } from '../../../src/filesystem/operations.ts';
import { Snapshot, type GivenEntry, type SnapshotEntry } from '../../../src/fuse/kernel/snapshot.ts';

const ATTRIBUTES: Omit<Attributes, 'kind' | 'identity'> = {
  size: 1,
  mode: 0o644,
  links: 1,
  uid: 0,
  gid: 0,
  atime: 0,
  mtime: 0,
  ctime: 0,
  validFor: 1000,
};

/** More than there is room for at first; each third one is a folder. */
const ENTRIES: readonly DirectoryEntry[] = Array.from({ length: 50 }, (_, number) => ({
  name: `n${number}`,
  attributes: {
    ...ATTRIBUTES,
    ...(number % 3 === 0 ? { kind: 'folder', identity: 0 } : { kind: 'file', identity: 100 + number }),
  },
}));

const GIVEN: readonly GivenEntry[] = ENTRIES.map(({ name, attributes: { kind, identity } }) => ({
  name,
  kind,
  identity,
}));

function snapshotOf(entries: readonly DirectoryEntry[]) {
  const whole: (readonly (SnapshotEntry | GivenEntry)[])[] = [];
  let left: AbortSignal | undefined;
  const snapshot = new Snapshot({
    list: async function* ({ signal }) {
      left = signal;
      for (const entry of entries) yield await Promise.resolve([entry]);
      return undefined;
    },
    firstPlace: 2,
    changes: () => 0,
    now: () => 0,
    isShown: () => true,
    whole: (all) => whole.push([...all]),
  });
  return { snapshot, whole, hasLeft: () => left?.aborted };
}

it('an entry that the kernel has goes on being the folder, or the very file, that it was', async () => {
  const { snapshot } = snapshotOf(ENTRIES);

  for (let index = 0; index < ENTRIES.length; index += 1) {
    await snapshot.reach(index, STAYING);
    expect(snapshot.at(index)).toMatchObject({ entry: ENTRIES[index] });
    snapshot.givenUpTo(index + 1);
  }

  expect(ENTRIES.map((_, index) => snapshot.at(index))).toEqual(GIVEN);
  expect(snapshot.length).toBe(ENTRIES.length);
});

it('all of them, those that the kernel has and those that it has not, are told of once the listing is at its end', async () => {
  const { snapshot, whole } = snapshotOf(ENTRIES.slice(0, 3));
  await snapshot.reach(1, STAYING);
  snapshot.givenUpTo(1);
  expect([snapshot.isWhole, whole]).toEqual([false, []]);

  await snapshot.reach(3, STAYING);

  expect(snapshot.isWhole).toBe(true);
  expect(whole).toEqual([
    [GIVEN[0], { entry: ENTRIES[1], batch: { takenAt: 0, changes: 0 } }, expect.anything()],
  ]);
});

it('who closes it leaves the listing', async () => {
  const { snapshot, hasLeft } = snapshotOf(ENTRIES);
  await snapshot.reach(0, STAYING);
  expect(hasLeft()).toBe(false);

  await snapshot.close();

  expect(hasLeft()).toBe(true);
});
