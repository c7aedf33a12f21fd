/**
 * DELETEs that unlink has promised and that the service hears of later (`--write-back`): which are there, and when may one go?
 *
 * Each means the version that the program saw. So it goes at once only within a second after that version was seen; later, and by
 * the next mount after a crash, the service is asked first, and somebody else's file stays. Until then the name is gone for every
 * program here, whatever the service lists (known-names.ts).
 */
import { atOnce } from '../../base/at-once.ts';
import { describeError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { put, remove, type Journal } from '../../content/journal/journal.ts';
import type { DeletionRecord } from '../../content/journal/records.ts';
import { versionOf } from '../../content/version-facts.ts';
import { keyOfPath } from '../../store/keys.ts';
import { removeOnce } from '../../store/lasting-change.ts';
import { isPassing } from '../errno-of.ts';
import type { MountState } from '../mount-state.ts';
import type { OpenFile } from '../open-file.ts';
import { changeOfDeletion } from '../unsent/unsent-change.ts';
import { droppedDeletion, failedDeletion, owedDeletion } from './deletion-records.ts';
import { joinedDeletions } from './joined-deletions.ts';
import { OwedDeletions, type Deletion } from './owed-deletions.ts';
import { VersionLooks } from './version-looks.ts';
import { WorkQueue } from './work-queue.ts';

/** Requests without bytes: fewer than of such may be under way (gates.ts), so that names are looked up meanwhile. */
const DELETES_AT_ONCE = 12;

export interface DeletionsParts {
  readonly journal: Journal;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  /** A file is gone from the service: its folder may have gone with it. */
  readonly gone: () => void;
}

export class Deletions {
  readonly #mount: MountState;
  readonly #journal: Journal;
  readonly #gone: () => void;
  readonly #clock: Clock;
  readonly #looks: VersionLooks;
  readonly #queue: WorkQueue<string>;
  readonly #pending = new OwedDeletions();
  /** Those that found somebody else's file, or were refused: for people to see. By sequence. */
  readonly #dropped = new Map<number, DeletionRecord>();
  /** Those of them that an earlier mount has dropped, and told. */
  readonly #droppedBefore = new Set<number>();
  #sent = 0;

  constructor(mount: MountState, { journal, random, gone }: DeletionsParts) {
    this.#mount = mount;
    this.#journal = journal;
    this.#gone = gone;
    this.#clock = mount.clock;
    this.#looks = new VersionLooks(mount, this.#pending);
    this.#queue = new WorkQueue({
      clock: mount.clock,
      random,
      width: DELETES_AT_ONCE,
      work: (path) => mount.claims.run([path], () => this.#attempt(path)),
    });
  }

  has(path: string): boolean {
    return this.#pending.get(path) !== undefined;
  }

  /** Grows with each DELETE that the service has answered. */
  get sent(): number {
    return this.#sent;
  }

  get waiting(): readonly DeletionRecord[] {
    return this.#pending.all().map(({ record }) => record);
  }

  get dropped(): readonly DeletionRecord[] {
    return [...this.#dropped.values()];
  }

  get droppedHere(): readonly DeletionRecord[] {
    return this.dropped.filter(({ sequence }) => !this.#droppedBefore.has(sequence));
  }

  /** Goes on with what earlier processes owed. Call before any program looks. */
  restore(records: readonly DeletionRecord[]): void {
    const isDropped = ({ state }: DeletionRecord): boolean => state === 'dropped';
    for (const record of records.filter(isDropped)) {
      this.#dropped.set(record.sequence, record);
      this.#droppedBefore.add(record.sequence);
    }
    const owed = joinedDeletions(records.filter((record) => !isDropped(record)));
    for (const record of owed.records) this.#owe(record);
    if (owed.changes.length > 0) this.#journal.makeLater(owed.changes);
  }

  /** `restore` has been called, and what else earlier processes left is shown: they may go. */
  start(): void {
    for (const path of this.#pending.paths()) this.#queue.add(path);
  }

  /**
   * The file at `path`, which the service has or may have, is to be deleted: on the disk when this resolves. Rejects with the disk's
   * error: nothing is promised then. For callers who hold the claim of the path; `going` is to be called before it ends.
   */
  async promise(file: OpenFile): Promise<void> {
    const { path, doubts, endUnknown } = file;
    const known = this.#mount.namespace.known.recall(path);
    // Somebody may still have an older version open: meant is what the name shows.
    const version = file.dirty || known?.kind !== 'file' ? file.version : known.version;
    const isSeen = known?.kind === 'file' && known.version === version;
    const before = this.#pending.get(path);
    const meant = version === null ? doubts.versions : [version, ...doubts.versions];
    const late = this.#mount.store.late.uploadsOf(keyOfPath(path));
    const versions = [...(before?.versions ?? []), ...meant, ...late];
    const isUnsure = endUnknown || late.length > 0 || before !== undefined;
    const sequence = this.#journal.nextSequence();
    const record = owedDeletion(keyOfPath(path), versions, { sequence, at: this.#clock.now() });
    const replaced = before === undefined ? [] : [remove('deletion', before.record)];
    // Together with what waits here to be stored: else that would bring the file back.
    try {
      await this.#mount.kept.ending(file, [put('deletion', record), ...replaced]);
    } catch (error) {
      // The disk may have it, though it says that it has not: the program hears that the file stays.
      const stays = before === undefined ? [] : [put('deletion', before.record)];
      this.#journal.forgetLater([remove('deletion', record), ...stays]);
      throw error;
    }
    // Where the name shows something else by now, an earlier listing proves nothing.
    const isKnown = isSeen && !isUnsure;
    const seenAt = isKnown ? Math.max(known.confirmedAt, this.#looks.seenAt(path, versions)) : -Infinity;
    this.#pending.set(path, { record, versions, isUnsure, seenAt });
    this.#queue.add(path);
  }

  /**
   * Resolves when nothing is owed any more at `path` or below. Rejects with why that could not be. For callers who hold the claim
   * of `path`.
   */
  async finishClaimed(path: string): Promise<void> {
    await atOnce(this.#pending.pathsFrom(path), DELETES_AT_ONCE, (each) => this.#attempt(each));
  }

  /** The folder at `path` is being removed, with nothing owed in it: what its program deletes next may be looked at meanwhile. */
  folderGoes(path: string): void {
    this.#looks.lookAhead(path);
  }

  /** One try for each that is owed. Never rejects: what could not be sent is logged and waits. */
  async finishAll(): Promise<void> {
    await atOnce(this.#pending.paths(), DELETES_AT_ONCE, async (path) => {
      await this.#mount.claims
        .run([path], () => this.#attempt(path))
        .catch((error: unknown) => {
          const cause = describeError(error);
          this.#mount.log.error('a file could not be deleted before the end', { path, cause });
        });
    });
  }

  /**
   * An upload of ours has taken the place of what was to be deleted at `path`, whether that was still there or somebody else's. Resolves
   * when no later mount would delete it. For callers who hold its claim.
   */
  async replaced(path: string): Promise<void> {
    const deletion = this.#pending.get(path);
    if (deletion !== undefined) await this.#settle(path, deletion);
  }

  /** Nothing is sent by itself any more. */
  async stop(): Promise<void> {
    await this.#queue.stop();
  }

  /** A person wants the one that is shown as `id` done now. Rejects with why it is not; resolves with null, also when it has been meanwhile. */
  async retry(path: string, id: string): Promise<null> {
    const droppedOf = (): DeletionRecord | undefined =>
      [...this.#dropped.values()].find((each) => changeOfDeletion(each).id === id);
    if (droppedOf() !== undefined) throw new Error('it was dropped: delete the file again, or discard this');
    await this.#mount.claims.run([path], () => this.#attempt(path));
    const dropped = droppedOf();
    if (dropped !== undefined) throw new Error(dropped.lastFailure?.message ?? 'it was dropped');
    return null;
  }

  /**
   * A person wants the file at `path` to stay, or has seen that it does: of its deletions the one that is shown as `id` is owed no more.
   * Rejects with the disk's error, or when it is done by now; resolves with null.
   */
  async discard(path: string, id: string): Promise<null> {
    return this.#mount.claims.run([path], async () => {
      const pending = this.#pending.get(path)?.record;
      const record = [...this.#dropped.values(), pending].find(
        (each) => each !== undefined && changeOfDeletion(each).id === id,
      );
      if (record === undefined) throw new Error('it is done by now, or another has taken its place');
      await this.#journal.commit([remove('deletion', record)]);
      this.#dropped.delete(record.sequence);
      if (record === pending) {
        this.#pending.delete(path);
        this.#mount.namespace.known.changed(path, { kind: 'unknown' });
      }
      return null;
    });
  }

  #owe(record: DeletionRecord): void {
    const path = `/${record.key}`;
    const versions = record.versions.map(versionOf);
    this.#pending.set(path, { record, versions, isUnsure: versions.length > 1, seenAt: -Infinity });
    this.#mount.namespace.known.going(path);
  }

  async #attempt(path: string): Promise<void> {
    const deletion = this.#pending.get(path);
    if (deletion === undefined) return;
    try {
      if (await this.#isStillMeant(path, deletion)) await this.#send(path, deletion);
    } catch (error) {
      deletion.seenAt = -Infinity;
      if (!isPassing(error)) {
        await this.#drop(path, deletion, error);
        return;
      }
      this.#failed(path, deletion, error);
      throw error;
    }
  }

  async #isStillMeant(path: string, deletion: Deletion): Promise<boolean> {
    switch (await this.#looks.look(path, deletion)) {
      case 'meant':
        return true;
      case 'missing':
        // An upload whose end nobody knows may still arrive.
        if (deletion.isUnsure) return true;
        await this.#deleted(path, deletion);
        return false;
      case 'ours':
        // Stored since by a program here, which has a file at the name again.
        await this.#settle(path, deletion);
        return false;
      case 'foreign':
        await this.#drop(path, deletion, new Error('somebody else has stored another file there'));
        return false;
    }
  }

  async #send(path: string, deletion: Deletion): Promise<void> {
    const { store } = this.#mount;
    const { key } = deletion.record;
    // What others store between two tries stays: the next turn looks, and says so.
    const isStillMeant = (): Promise<boolean> => this.#looks.mayGo(path, deletion);
    await removeOnce(store, key, isStillMeant);
    this.#sent += 1;
    // An upload whose end nobody knew may have arrived after it.
    if (deletion.isUnsure && (await this.#looks.lookNow(path, deletion)) === 'meant')
      await removeOnce(store, key, isStillMeant);
    store.late.forgetUploads(key, store.late.uploadsOf(key));
    await this.#deleted(path, deletion);
  }

  async #deleted(path: string, deletion: Deletion): Promise<void> {
    const settled = this.#settle(path, deletion);
    this.#mount.namespace.known.changed(path, { kind: 'missing' });
    this.#gone();
    await settled;
  }

  /** Never rejects. Resolves when no later mount would send it: what is made anew may be just what was to be deleted. */
  async #settle(path: string, { record }: Deletion): Promise<void> {
    this.#pending.delete(path);
    try {
      await this.#journal.forget([remove('deletion', record)]);
    } catch (error) {
      const cause = describeError(error);
      this.#mount.log.warn('a deletion that is done stays in the journal for now', { path, cause });
    }
  }

  #failed(path: string, deletion: Deletion, error: unknown): void {
    const { record } = deletion;
    deletion.record = failedDeletion(record, error, this.#clock.now());
    const fields = { path, cause: describeError(error) };
    if (record.attempts === 0) this.#mount.log.error('a file could not be deleted yet', fields);
    else this.#mount.log.warn('a file could again not be deleted', fields);
  }

  /** The file stays, and is at its name again. */
  async #drop(path: string, { record }: Deletion, reason: unknown): Promise<void> {
    const dropped = droppedDeletion(record, reason, this.#clock.now());
    await this.#journal.commit([put('deletion', dropped)]);
    this.#pending.delete(path);
    this.#dropped.set(record.sequence, dropped);
    this.#mount.namespace.known.changed(path, { kind: 'unknown' });
    this.#mount.log.error('a file that a program has deleted stays', { path, reason: describeError(reason) });
  }
}
