/** How far has one step of a rename come that the end of the process cut? Its record tells what was meant, the service what was done. */
import type { Draft } from '../../content/draft.ts';
import type { RenameStepRecord } from '../../content/journal/records.ts';
import { versionOf } from '../../content/version-facts.ts';
import { pathOfKey } from '../../store/keys.ts';
import type { Version } from '../../store/version.ts';
import { draftsOf } from '../drafts/draft-records.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';

/** The copy, when it is under the new name; null when nothing is, or still what it was to replace. */
export async function copyAt(
  { namespace }: Pick<MountState, 'namespace'>,
  step: RenameStepRecord,
): Promise<Version | null | 'foreign'> {
  const [copy, replaced] = [step.copy, step.replaced].map((facts) =>
    facts === null ? null : versionOf(facts),
  );
  const ours = [copy, replaced].filter((version) => version != null);
  const there = await namespace.confirmFile(pathOfKey(step.to), ours);
  if (there?.kind !== 'file') return null;
  if (copy?.isSame(there.version) === true) return there.version;
  return replaced?.isSame(there.version) === true ? null : 'foreign';
}

/** The draft of `file` that was copied, or is replaced by the copy. */
export function draftIn(file: OpenFile, { drafts }: RenameStepRecord): Draft | undefined {
  return [...draftsOf(file)].find(({ id }) => drafts.includes(id));
}
