/**
 * How is what a person agreed to lose discarded, and nothing else? A question may stand for hours, while programs go on: what was stored meanwhile
 * is told of, and what was written meanwhile stays.
 */
import { stat } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { discardLeftIn } from '../../filesystem/left-behind/changes-left.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { ChangeOutcome } from '../../filesystem/unsent/unsent-changes.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { throwWithWhatWaits } from '../control/control-client.ts';
import { damageLog } from '../logging/damage-log.ts';
import { inOtherHands, whileClaimed } from '../state/left-directories.ts';
import type { Selected } from './unsent-selection.ts';

const DONE_MEANWHILE = 'it does not wait any more: it was done meanwhile, or newer bytes took its place';
const WRITTEN_MEANWHILE = 'it was written meanwhile: see what it is now, and ask again';

/** What a person is shown. */
export class ShownChanges {
  /** When the bytes of each were written, by its identifier; null: they cannot be looked at. */
  readonly #written: ReadonlyMap<string, number | null>;

  private constructor(written: ReadonlyMap<string, number | null>) {
    this.#written = written;
  }

  /** Never rejects, as nothing here but `discard`. */
  static async of(changes: readonly UnsentChange[]): Promise<ShownChanges> {
    return new ShownChanges(await writtenAt(changes));
  }

  /** Those of `one` that are as they were shown. Rejects with a `CommandError` where nothing can be discarded. */
  async discard(one: Selected, clock: Clock): Promise<readonly ChangeOutcome[]> {
    const now = await writtenAt(one.changes);
    // Bytes that are gone are no newer ones.
    const isWritten = ({ id }: UnsentChange): boolean =>
      (now.get(id) ?? null) !== null && now.get(id) !== this.#written.get(id);
    const outcomes = await discardListed(
      { ...one, changes: one.changes.filter((change) => !isWritten(change)) },
      clock,
    );
    const told = new Set(outcomes.map(({ id }) => id));
    const untold = one.changes.filter(({ id }) => !told.has(id));
    const left = untold.map((change): ChangeOutcome => {
      const { id, kind, path } = change;
      const reason = isWritten(change) ? WRITTEN_MEANWHILE : DONE_MEANWHILE;
      return { id, kind, path, isDone: false, storedAs: null, reason };
    });
    return [...outcomes, ...left];
  }
}

async function writtenAt(changes: readonly UnsentChange[]): Promise<ReadonlyMap<string, number | null>> {
  const all = changes.map(async ({ id, file }): Promise<[string, number | null]> => {
    if (file === null) return [id, null];
    return [
      id,
      await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => null,
      ),
    ];
  });
  return new Map(await Promise.all(all));
}

/** Those that are listed still. */
async function discardListed(
  { place: { owner }, changes }: Selected,
  clock: Clock,
): Promise<readonly ChangeOutcome[]> {
  if (changes.length === 0) return [];
  const ids = changes.map(({ id }) => id);
  if (owner.kind === 'mount') return owner.control.discard(ids).catch(throwWithWhatWaits);
  const { directory } = owner;
  // Asked again, it would not answer then, either.
  if (directory.isOwned) throw inOtherHands(directory);
  const tools = { clock, log: damageLog };
  const outcomes = await whileClaimed(directory, () => discardLeftIn(directory.path, ids, tools));
  if (outcomes !== undefined) return outcomes;
  throw new CommandError(
    exitCodes.failed,
    `a mount has taken ${directory.path}: ask again, and it is asked to discard`,
  );
}
