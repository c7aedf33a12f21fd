/** How does a command act on what waits in several places, when one that cannot be asked shall not keep it from the others? */
import type { ChangeOutcome } from '../../filesystem/unsent/unsent-changes.ts';
import { isUsageError } from '../command-error.ts';
import { reasonOf } from '../connecting/refused.ts';
import { failureOf } from '../screen/report.ts';
import type { UnsentPlace } from './unsent-places.ts';
import { bucketShown, type Selected } from './unsent-selection.ts';

export interface PlaceOutcomes {
  readonly place: UnsentPlace;
  readonly outcomes: readonly ChangeOutcome[];
  /** As `bucketShown` says it of the place. */
  readonly bucket: string | null;
  /** Why the place could not be asked, for who debugs; undefined when it was. */
  readonly failure?: unknown;
}

type Act = (one: Selected) => Promise<readonly ChangeOutcome[]>;

/**
 * Of a place that cannot be asked each change has failed, with why; one without changes is not asked. Rejects with a usage error, and with
 * nothing else: when each place has one, so that nothing was tried.
 */
export async function actOnEach(chosen: readonly Selected[], act: Act): Promise<readonly PlaceOutcomes[]> {
  const places: PlaceOutcomes[] = [];
  const bucketOf = bucketShown(chosen);
  for (const one of chosen) {
    const { place, changes } = one;
    if (changes.length > 0) places.push({ ...(await outcomesIn(one, act)), place, bucket: bucketOf(place) });
  }
  const wrong = places.map(({ failure }) => failure).filter(isUsageError);
  if (wrong[0] !== undefined && wrong.length === places.length) throw wrong[0];
  return places;
}

async function outcomesIn(one: Selected, act: Act): Promise<Pick<PlaceOutcomes, 'outcomes' | 'failure'>> {
  try {
    return { outcomes: await act(one) };
  } catch (failure) {
    const reason = reasonOf(failure) ?? failureOf(failure).message;
    const failed = { isDone: false, storedAs: null, reason };
    return { outcomes: one.changes.map(({ id, kind, path }) => ({ id, kind, path, ...failed })), failure };
  }
}
