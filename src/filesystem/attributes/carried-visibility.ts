/**
 * How visible is a file after its upload, or its rename? As before, unless a program or the person who mounts says otherwise; but a
 * file made here a moment ago, whose visibility nobody set, takes that of the file that it replaces: programs that save through a
 * temporary file do not mean to take a link away.
 */
import { versionOf } from '../../content/version-facts.ts';
import type { Visibility } from '../../service/records.ts';
import { keyOfPath } from '../../store/keys.ts';
import { currentVisibility } from '../../store/replace.ts';
import type { Version } from '../../store/version.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';

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

/** What the service has under the name of `file`, as far as is known: others may have replaced what programs have open of it. */
export function standingVersion({ namespace }: MountState, file: OpenFile): Version | null {
  const entry = namespace.known.recall(file.path);
  return entry?.kind === 'file' ? entry.version : file.version;
}

/** Whether the link of `file` is still ours to restore: not of what others have stored since, nor of what takes its place. */
export function isLinkOwed(mount: MountState, file: OpenFile): boolean {
  const standing = standingVersion(mount, file);
  if (!file.publishPending || standing === null || standing === file.version) return file.publishPending;
  return [file.version, ...file.doubts.versions, ...owedVersions(file)].some(
    (each) => each?.isSame(standing) === true,
  );
}

/** Those that records say are to be made public again. */
export function owedVersions({ owedLinks }: OpenFile): Version[] {
  return owedLinks.flatMap(({ publish }) => (publish === null ? [] : [versionOf(publish)]));
}

/** What the next upload of `file` makes of it, when `wish` was set on those bytes; undefined when only the service knows. */
export function visibilityToKeep(
  mount: MountState,
  file: OpenFile,
  wish: Visibility | null,
): Visibility | undefined {
  const { settings } = mount;
  if (wish !== null) return wish;
  if (settings.visibility !== 'preserve') return settings.visibility;
  if (isLinkOwed(mount, file)) return 'public';
  if (file.doubts.visibilityBefore !== null) return file.doubts.visibilityBefore;
  return file.version === null ? 'private' : undefined;
}

/** Of `file` as it is stored, and known from then on. Rejects with a refusal when only the service knows. */
export async function visibilityOf(mount: MountState, file: OpenFile): Promise<Visibility> {
  const { namespace, store, clock } = mount;
  const wish = wishOf(file);
  if (wish !== null) return wish;
  if (isLinkOwed(mount, file)) return 'public';
  if (file.doubts.visibilityBefore !== null) return file.doubts.visibilityBefore;
  if (file.isUnsent) return 'private';
  const standing = standingVersion(mount, file);
  const known = standing?.visibility;
  const isFresh = known !== undefined && namespace.known.isFresh(file.path, known.at);
  if (isFresh && !store.hasJustWoken) return known.value;
  const at = clock.monotonic();
  const value = await currentVisibility(store, keyOfPath(file.path));
  if (standing !== null) standing.visibility = { value, at };
  return value;
}

/** What was set on a draft is for its own bytes: not for those before them, which may be nobody else's business. */
function wishOf({ halfWritten, sealed, wishes }: OpenFile): Visibility | null {
  if (wishes.visibility === 'private' || halfWritten === null) return wishes.visibility;
  return sealed?.wishes.visibility ?? null;
}
