/**
 * What does the service not have yet, and what can a person do about it? For `pailfs uploads` and `pailfs status`.
 *
 * Whatever is asked for, no bytes are lost by it but those that were to be discarded: what cannot be done stays as it is, and
 * the outcome says why.
 */
import pLimit from 'p-limit';
import type { Draft } from '../../content/draft.ts';
import type { DraftRecord } from '../../content/journal/records.ts';
import { draftsOf } from '../drafts/draft-records.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import type { RenameJournal } from '../rename/rename-journal.ts';
import type { Resuming } from '../rename/resuming.ts';
import type { RestingDraft } from '../drafts/resting-drafts.ts';
import type { Reviving } from './reviving.ts';
import {
  changeOfDeletion,
  changeOfFile,
  changeOfRename,
  changeOfSealed,
  isForAll,
  isTried,
  type UnsentChange,
  type UnsentKind,
} from './unsent-change.ts';
import type { Asked, Uploading } from '../write/uploading.ts';
import type { Deletions } from '../write-back/deletions.ts';
import { reasonOf } from '../errno-of.ts';

/** Files sent at once. */
const AT_ONCE = 4;

const HALF = 'it may be half a file: name it to store it all the same';
const ENDED = 'it is not there any more';
const NAMELESS = 'its name is lost: it can be exported or discarded';

export interface UnsentChangesParts {
  readonly journal: RenameJournal;
  readonly resuming: Resuming;
  readonly uploading: Uploading;
  readonly deletions: Deletions;
  readonly reviving: Reviving;
  /** Whether what dead mounts left goes up only because a person asks for it. */
  readonly isLeftAsked: boolean;
  /** What an earlier mount left and this one only shows. */
  readonly leftAlone: readonly UnsentChange[];
}

/** What became of one change that a person asked for something. */
export interface ChangeOutcome {
  readonly id: string;
  readonly kind: UnsentKind;
  readonly path: string | null;
  readonly isDone: boolean;
  /** The other name under which it is stored; null: its own. */
  readonly storedAs: string | null;
  /** Why it is not done; else null. */
  readonly reason: string | null;
}

/** Of one bucket, or of all that a mount shows. */
export type Unsent = Pick<UnsentChanges, 'list' | 'retry' | 'discard'>;

export class UnsentChanges {
  readonly #mount: MountState;
  readonly #parts: UnsentChangesParts;
  /** Identifiers of changes that a person did not want. */
  readonly #discarded = new Set<string>();
  /** Of resting drafts that are being stored because a person asks: another who asks at the same time hears the same. */
  readonly #underWay = new Map<string, Promise<string>>();
  /** Under which paths those are stored. */
  readonly #stored = new Map<string, string>();

  constructor(mount: MountState, parts: UnsentChangesParts) {
    this.#mount = mount;
    this.#parts = parts;
  }

  /** All of it, those that waited longest first. Rejects with the local disk's error. */
  async list(): Promise<readonly UnsentChange[]> {
    const { table, resting } = this.#mount;
    const { journal, resuming, deletions, leftAlone } = this.#parts;
    const files = table.all().flatMap((file) => this.#changesOf(file));
    const renames = journal.underWay.map((rename) => changeOfRename(rename, resuming.failureOf(rename)));
    const deleted = [...deletions.waiting, ...deletions.dropped].map(changeOfDeletion);
    const all = [...(await resting.list()), ...files, ...renames, ...deleted, ...leftAlone];
    const notHere = this.#whyNotHere();
    // What is on its way from one place to the other may be in both.
    return [...new Map(all.map((change) => [change.id, change])).values()]
      .map((change) => (isTried(change) ? { ...change, reason: change.reason ?? notHere } : change))
      .sort(byAge);
  }

  /**
   * Tries to store the changes `ids` now; null: all that wait or were set aside, but for what may be half a file. Resolves when each
   * is stored or has failed. Rejects with the local disk's error when not even the list can be read.
   */
  async retry(ids: readonly string[] | null): Promise<readonly ChangeOutcome[]> {
    const wanted = ids === null ? null : new Set(ids);
    const changes = (await this.list()).filter((change) => wanted?.has(change.id) ?? isForAll(change));
    const files = this.#filesOf();
    return pLimit(AT_ONCE).map(changes, (change) =>
      outcomeOf(change, () => this.#retryOne(change, files.get(change.id), wanted !== null)),
    );
  }

  /** Forgets the changes `ids` and deletes their bytes here. Rejects as `retry`. */
  async discard(ids: readonly string[]): Promise<readonly ChangeOutcome[]> {
    const changes = (await this.list()).filter(({ id }) => ids.includes(id));
    return pLimit(1).map(changes, (change) => outcomeOf(change, () => this.#discardOne(change)));
  }

  /** Why this mount tries nothing, and what waits is for another one; null: it does. */
  #whyNotHere(): string | null {
    const { readOnly, mayWrite } = this.#mount.settings;
    if (readOnly) return 'the mount is read-only';
    return mayWrite ? null : 'these credentials may only read';
  }

  /** `listed`: the file that had it when it was listed, if any. Resolves with the path under which the change is stored. */
  async #retryOne(
    change: UnsentChange,
    listed: OpenFile | undefined,
    isNamed: boolean,
  ): Promise<string | null> {
    const notHere = this.#whyNotHere();
    if (notHere !== null) throw new Error(notHere);
    if (change.kind === 'rename') return this.#parts.resuming.retry(change.id);
    if (change.kind === 'delete') return this.#parts.deletions.retry(change.path ?? '', change.id);
    if (change.kind === 'scratch') throw new Error('it is a scratch file: rename it, and it is stored');
    // Who asks at the same time as another hears the same.
    if (!this.#underWay.has(change.id)) await this.#mount.resting.settled(change.id);
    const waiting = this.#fileOf(change);
    if (waiting === undefined) return this.#goneUpAs(change, listed) ?? this.#storedOnce(change, isNamed);
    return this.#storedInTurn(await this.#giving(waiting, change), change, isNamed);
  }

  /** Of a file that has it now, and may have stored it by itself when it is its turn: what is there then is an edit that goes on. */
  async #storedInTurn(file: OpenFile, change: UnsentChange, isNamed: boolean): Promise<string | null> {
    const turn = { isOver: false };
    const path = await this.#storedWhole(file, () => {
      turn.isOver = !this.#changesOf(file).some(({ id }) => id === change.id);
      if (turn.isOver) return 'nothing';
      return isNamed && file.draft?.id === change.id ? 'newest' : 'closed';
    });
    if (!turn.isOver) {
      // A conflict may have given it a file of its own, which waits under another name.
      const aside = this.#fileOf(change);
      return aside === undefined || aside === file ? path : this.#storedInTurn(aside, change, isNamed);
    }
    const stored = this.#goneUpAs(change, file);
    if (stored === null) throw new Error(ENDED);
    return stored;
  }

  /** Of a draft that rested when it was listed. */
  #storedOnce(change: UnsentChange, isNamed: boolean): Promise<string> {
    const { id, isWhole } = change;
    const draft = this.#mount.resting.get(id);
    const stored = this.#stored.get(id);
    if (draft === undefined && stored !== undefined) return Promise.resolve(stored);
    // It may have been set aside as half a file since it was listed.
    const isHalf = draft?.kind === 'draft' && (!isWhole || draft.record.facts.sealed === null);
    if (isHalf && !isNamed) return Promise.reject(new Error(HALF));
    const storing = this.#underWay.get(id) ?? this.#storing(change);
    this.#underWay.set(id, storing);
    return storing;
  }

  async #storing({ id }: UnsentChange): Promise<string> {
    try {
      const file = await this.#revived(id);
      // Programs may have opened it since, and have stored it by themselves when it is its turn.
      const isHere = (): boolean => file.dirty && [...draftsOf(file)].some((draft) => draft.id === id);
      const path = await this.#storedWhole(file, () => (isHere() ? 'closed' : 'nothing'));
      this.#stored.set(id, path);
      return path;
    } finally {
      this.#underWay.delete(id);
    }
  }

  async #storedWhole(file: OpenFile, asked?: () => Asked): Promise<string> {
    try {
      await this.#parts.uploading.storeWhole(file, asked);
    } catch (error) {
      // What is refused for good is set aside again.
      await this.#parts.uploading.settle(file);
      throw error;
    }
    if (file.detached) throw new Error(ENDED);
    return file.path;
  }

  /** What waits for its turn goes up by itself, as a close meant it: of that a person only says when. */
  async #giving(file: OpenFile, { kind, state }: UnsentChange): Promise<OpenFile> {
    const { isLeftAsked, reviving } = this.#parts;
    const { writeBack } = this.#mount.settings;
    const isQueued = state === 'queued' || (writeBack && state === 'end unknown' && file.sealed !== null);
    const isForItself = isQueued && !isLeftAsked;
    return kind === 'upload' && !isForItself ? reviving.giveWay(file) : file;
  }

  async #revived(id: string): Promise<OpenFile> {
    const { resting } = this.#mount;
    const found = await resting.find(id);
    const draft = resting.get(id);
    if (draft === undefined || found === undefined) throw new Error(ENDED);
    if (draft.kind !== 'draft') throw new Error(NAMELESS);
    return this.#parts.reviving.revive(draft.record, found);
  }

  async #discardOne(change: UnsentChange): Promise<null> {
    if (change.kind === 'rename')
      throw new Error('only half of it is done: it can be finished, not discarded');
    const notHere = this.#whyNotHere();
    // They are in the journal alone.
    if (notHere !== null && this.#parts.leftAlone.some(({ id }) => id === change.id))
      throw new Error(notHere);
    if (change.kind === 'delete') return this.#parts.deletions.discard(change.path ?? '', change.id);
    await this.#mount.resting.settled(change.id);
    const file = this.#fileOf(change);
    if (file !== undefined) {
      await this.#parts.uploading.discard(file, change.id);
      this.#discarded.add(change.id);
      return null;
    }
    const { kept, resting } = this.#mount;
    const draft = resting.get(change.id);
    if (draft === undefined) throw new Error(ENDED);
    // At once: nobody is to store meanwhile what is said to be discarded.
    resting.remove(change.id);
    try {
      await kept.forget(change.id, recordOf(draft));
      await resting.delete(change.id);
    } catch (error) {
      resting.add(change.id, draft);
      throw error;
    }
    return null;
  }

  /**
   * It waited when it was listed, and went by itself meanwhile, or with a rename of `file`, which had it: returns the path at which what is
   * there was stored here. Null: it did not.
   */
  #goneUpAs({ id, path: listed, state, bytes }: UnsentChange, file: OpenFile | undefined): string | null {
    const { resting, namespace } = this.#mount;
    const path = file?.path ?? listed;
    if (path === null || this.#discarded.has(id) || state === 'set aside' || resting.get(id) !== undefined)
      return null;
    const there = namespace.known.recall(path);
    const isOurs = there?.kind === 'file' && there.version.own !== null && there.version.size === bytes;
    return isOurs ? path : null;
  }

  /** By the identifiers of their changes. */
  #filesOf(): ReadonlyMap<string, OpenFile> {
    const { table } = this.#mount;
    return new Map(table.all().flatMap((file) => this.#changesOf(file).map(({ id }) => [id, file])));
  }

  #fileOf({ id }: UnsentChange): OpenFile | undefined {
    return this.#mount.table.all().find((file) => this.#changesOf(file).some((change) => change.id === id));
  }

  #changesOf(file: OpenFile): UnsentChange[] {
    const recordOf = (draft: Draft | undefined | null): DraftRecord | undefined =>
      draft == null ? undefined : this.#mount.kept.recordOf(draft);
    const newest = changeOfFile(file, recordOf(file.draft));
    const promised = changeOfSealed(file, recordOf(file.sealed?.draft));
    return [newest, promised].filter((change) => change !== undefined);
  }
}

function recordOf(draft: RestingDraft): DraftRecord | null {
  return draft.kind === 'draft' ? draft.record : null;
}

/** Those that waited longest first. */
export function byAge(a: UnsentChange, b: UnsentChange): number {
  return a.since - b.since || ((a.path ?? '') < (b.path ?? '') ? -1 : 1);
}

/** What became of `change` when it was acted on. `act` resolves with its path now; null: it has none any more. Never rejects. */
export async function outcomeOf(
  change: UnsentChange,
  act: () => Promise<string | null>,
): Promise<ChangeOutcome> {
  const { id, kind, path } = change;
  try {
    const now = await act();
    const storedAs = now === path ? null : now;
    return { id, kind, path, isDone: true, storedAs, reason: null };
  } catch (error) {
    return { id, kind, path, isDone: false, storedAs: null, reason: reasonOf(error) };
  }
}
