/**
 * How is what a person agreed to lose discarded, and nothing else? A question may stand for hours, while programs go on: what was stored meanwhile
 * is told of, and what was written meanwhile stays.
 */
import { open } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { Clock } from '../../base/clock.ts';
import { headerIn } from '../../content/draft-file.ts';
import { CONTENT_START } from '../../content/draft-header.ts';
import { discardLeftIn } from '../../filesystem/left-behind/changes-left.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { ChangeOutcome } from '../../filesystem/unsent/unsent-changes.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { throwWithWhatWaits } from '../control/control-client.ts';
import { damageLog } from '../logging/damage-log.ts';
import { inOtherHands, whileClaimed } from '../state/left-directories.ts';
import type { Selected } from './unsent-selection.ts';

const DONE_MEANWHILE = 'it does not wait any more: it was done meanwhile, or newer bytes took its place';
/** Each has a file open, of which there may be thousands. */
const LOOKS_AT_ONCE = 8;
const OTHER_MEANWHILE = 'it is not what was shown any more: see what it is now, and ask again';

/** What a person is shown. */
export class ShownChanges {
  /** By their local file; null: it cannot be looked at. */
  readonly #contents: ReadonlyMap<string, string | null>;

  private constructor(contents: ReadonlyMap<string, string | null>) {
    this.#contents = contents;
  }

  /** Never rejects. */
  static async of(changes: readonly UnsentChange[]): Promise<ShownChanges> {
    return new ShownChanges(await contentsOf(changes));
  }

  /** Those of `one` that are as they were shown. Rejects with a `CommandError` where nothing can be discarded. */
  async discard(one: Selected, clock: Clock): Promise<readonly ChangeOutcome[]> {
    const now = await contentsOf(one.changes);
    const isOther = ({ file }: UnsentChange): boolean => {
      const content = file === null ? undefined : now.get(file);
      // Bytes that are gone are no newer ones.
      return file !== null && content !== null && content !== this.#contents.get(file);
    };
    const outcomes = await discardListed(
      { ...one, changes: one.changes.filter((change) => !isOther(change)) },
      clock,
    );
    const told = new Set(outcomes.map(({ id }) => id));
    const untold = one.changes.filter(({ id }) => !told.has(id));
    const left = untold.map((change): ChangeOutcome => {
      const { id, kind, path } = change;
      const reason = isOther(change) ? OTHER_MEANWHILE : DONE_MEANWHILE;
      return { id, kind, path, isDone: false, storedAs: null, reason };
    });
    return [...outcomes, ...left];
  }
}

async function contentsOf(changes: readonly UnsentChange[]): Promise<ReadonlyMap<string, string | null>> {
  const files = changes.flatMap(({ file }) => file ?? []);
  const look = pLimit(LOOKS_AT_ONCE);
  return new Map(
    await look.map(files, async (file): Promise<[string, string | null]> => {
      return [file, await contentOf(file).catch(() => null)];
    }),
  );
}

/** The same as long as the bytes in `file` are: to try them once more writes the header anew, and changes nothing that it says of them. */
async function contentOf(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size, mtimeMs } = await handle.stat();
    const read = async (into: Uint8Array, position: number): Promise<number> =>
      (await handle.read(into, 0, into.length, position)).bytesRead;
    const { sealed } = (await headerIn({ read })).facts;
    // What comes before the content is only as long as it was needed.
    return JSON.stringify([Math.max(size, CONTENT_START), sealed ?? mtimeMs]);
  } finally {
    await handle.close();
  }
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
