/**
 * How visible is a file after its rename? As before; but a file made here a moment ago, whose visibility nobody set, takes that of the
 * file that it replaces: programs that save through a temporary file do not mean to take a link away.
 */
import type { Visibility } from '../service/records.ts';
import { keyOfPath } from '../store/keys.ts';
import { currentVisibility } from '../store/replace.ts';
import type { MountState } from './mount-state.ts';
import type { OpenFile } from './open-file.ts';

/** How recently, milliseconds. */
const RECENTLY_MADE = 60_000;

/** Of `source`, when it has replaced `target`, if any. Rejects with a refusal when only the service knows. */
export function visibilityAfter(
  mount: MountState,
  source: OpenFile,
  target: OpenFile | null,
): Promise<Visibility> {
  const { settings, clock } = mount;
  const own = wishOf(source);
  if (own !== null) return Promise.resolve(own);
  if (settings.visibility !== 'preserve') return Promise.resolve(settings.visibility);
  const now = clock.monotonic();
  const made = source.madeHereAt(now);
  const takesTargets = target !== null && made !== null && now - made < RECENTLY_MADE;
  return visibilityOf(mount, takesTargets ? target : source);
}

/** Of `file` as it is stored, and known from then on. Rejects with a refusal when only the service knows. */
export async function visibilityOf(
  { namespace, store, clock }: MountState,
  file: OpenFile,
): Promise<Visibility> {
  const wish = wishOf(file);
  if (wish !== null) return wish;
  if (file.publishPending) return 'public';
  if (file.visibilityBefore !== null) return file.visibilityBefore;
  if (file.isUnsent) return 'private';
  const known = file.version?.visibility;
  if (known !== undefined && namespace.known.isFresh(file.path, known.at)) return known.value;
  const at = clock.monotonic();
  const value = await currentVisibility(store, keyOfPath(file.path));
  if (file.version !== null) file.version.visibility = { value, at };
  return value;
}

/** What was set on a draft is for its own bytes: not for those before them, which may be nobody else's business. */
function wishOf({ halfWritten, sealed, visibilityWish }: OpenFile): Visibility | null {
  if (visibilityWish === 'private') return visibilityWish;
  return halfWritten === null ? visibilityWish : (sealed?.wishes?.visibilityWish ?? null);
}
