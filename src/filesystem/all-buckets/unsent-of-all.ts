/** What do the services of all buckets not have yet? As of one bucket, with the bucket in front of each path. */
import type { UnsentChange } from '../unsent/unsent-change.ts';
import { byAge, type ChangeOutcome, type Unsent } from '../unsent/unsent-changes.ts';
import { pathInMount } from './bucket-path.ts';
import type { OpenBucket, OpenBuckets } from './open-buckets.ts';

/** Before the identifier of the bucket: what names a change in one bucket may name another in the next. */
const BETWEEN = '@';

/** As a mount of all buckets calls the change `id` of the bucket with that identifier. */
export function idInAll(id: string, bucket: string): string {
  return `${id}${BETWEEN}${bucket}`;
}

export class UnsentOfAll implements Unsent {
  readonly #buckets: OpenBuckets;

  constructor(buckets: OpenBuckets) {
    this.#buckets = buckets;
  }

  async list(): Promise<readonly UnsentChange[]> {
    const lists = this.#buckets.all.map(async (bucket) =>
      (await bucket.fileSystem.unsent.list()).map((change) => shown(bucket, change)),
    );
    return (await Promise.all(lists)).flat().sort(byAge);
  }

  retry(ids: readonly string[] | null): Promise<readonly ChangeOutcome[]> {
    return this.#each(ids, (unsent, own) => unsent.retry(own));
  }

  discard(ids: readonly string[]): Promise<readonly ChangeOutcome[]> {
    return this.#each(ids, (unsent, own) => unsent.discard(own ?? []));
  }

  async #each(
    ids: readonly string[] | null,
    act: (unsent: Unsent, own: readonly string[] | null) => Promise<readonly ChangeOutcome[]>,
  ): Promise<readonly ChangeOutcome[]> {
    const outcomes = this.#buckets.all.map(async (bucket) => {
      const own = ids === null ? null : ownIds(bucket, ids);
      if (own?.length === 0) return [];
      const done = await act(bucket.fileSystem.unsent, own);
      return done.map((outcome) => ({
        ...outcome,
        id: idOf(bucket, outcome.id),
        path: pathOf(bucket, outcome.path),
        storedAs: pathOf(bucket, outcome.storedAs),
      }));
    });
    return (await Promise.all(outcomes)).flat();
  }
}

function shown(bucket: OpenBucket, change: UnsentChange): UnsentChange {
  const { id, path, to } = change;
  return { ...change, id: idOf(bucket, id), path: pathOf(bucket, path), to: pathOf(bucket, to) };
}

function idOf({ bucket }: OpenBucket, id: string): string {
  return idInAll(id, bucket.bucket);
}

function ownIds({ bucket }: OpenBucket, ids: readonly string[]): readonly string[] {
  const end = idInAll('', bucket.bucket);
  return ids.filter((id) => id.endsWith(end)).map((id) => id.slice(0, -end.length));
}

function pathOf({ bucket }: OpenBucket, path: string | null): string | null {
  return path === null ? null : pathInMount(bucket.name, path);
}
