/** What waits in several buckets: which of it is meant, and what is said of it? */
import { expect, it } from 'vitest';
import type { OpenBuckets } from '../../../src/filesystem/all-buckets/open-buckets.ts';
import { UnsentOfAll } from '../../../src/filesystem/all-buckets/unsent-of-all.ts';
import type { UnsentChange } from '../../../src/filesystem/unsent/unsent-change.ts';
import type { ChangeOutcome } from '../../../src/filesystem/unsent/unsent-changes.ts';

const CHANGE: UnsentChange = {
  id: 'delete-1',
  kind: 'delete',
  state: 'queued',
  path: '/file',
  to: null,
  bytes: null,
  sent: 0,
  isWhole: true,
  since: 1,
  attempts: 0,
  code: null,
  reason: null,
  file: null,
};

/** Buckets of which each has these changes, and stores or discards each it is asked for; what they were asked for is noted. */
function open(changes: Readonly<Record<string, readonly UnsentChange[]>>): {
  readonly unsent: UnsentOfAll;
  readonly acted: string[];
} {
  const acted: string[] = [];
  const all = Object.entries(changes).map(([name, own]) => {
    const act = (ids: readonly string[] | null): Promise<readonly ChangeOutcome[]> => {
      acted.push(`${name} ${String(ids)}`);
      const outcomes = (ids ?? []).map((id): ChangeOutcome => {
        return { id, kind: 'upload', path: '/file', isDone: true, storedAs: '/beside', reason: null };
      });
      return Promise.resolve(outcomes);
    };
    const unsent = { list: () => Promise.resolve(own), retry: act, discard: act };
    return { bucket: { bucket: `id-of-${name}`, name }, fileSystem: { unsent } };
  });
  return { unsent: new UnsentOfAll({ all } as unknown as OpenBuckets), acted };
}

it.each(['retry', 'discard'] as const)(
  '%s of a change leaves those of its number in other buckets alone',
  async (act) => {
    const { unsent, acted } = open({ music: [CHANGE], photos: [CHANGE] });
    const [, second] = await unsent.list();
    const outcomes = await unsent[act]([second?.id ?? '']);

    expect(second?.path).toBe('/photos/file');
    expect(acted).toEqual(['photos delete-1']);
    expect(outcomes).toMatchObject([{ id: second?.id, path: '/photos/file', storedAs: '/photos/beside' }]);
  },
);

it('the list has the oldest first, whichever its bucket, and names where a rename leads, and what has no name', async () => {
  const { unsent } = open({
    music: [{ ...CHANGE, since: 3 }],
    photos: [
      { ...CHANGE, since: 1, to: '/other' },
      { ...CHANGE, since: 2, path: null },
    ],
  });

  expect((await unsent.list()).map(({ path, to }) => [path, to])).toEqual([
    ['/photos/file', '/photos/other'],
    [null, null],
    ['/music/file', null],
  ]);
});
