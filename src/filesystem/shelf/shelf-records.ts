/**
 * What is on the shelf outlives the process: what must be known of it, and how is it there again at the next mount?
 *
 * A record is made when a program asks for it by fsync, and when the mount ends. One whose draft is gone, or waits for the service
 * by now, means nothing: the next start removes it.
 */
import { describeError } from '../../base/errors.ts';
import { Turns } from '../../base/turns.ts';
import type { Draft } from '../../content/draft.ts';
import type { FoundDraft } from '../../content/draft-folder.ts';
import { put, remove } from '../../content/journal/journal.ts';
import type { ShelvedRecord } from '../../content/journal/records.ts';
import type { LocalState } from '../../content/local-state.ts';
import type { MountState } from '../mount-state.ts';
import { OpenFile } from '../open-file.ts';
import { modeAtCreation } from './scratch-names.ts';

export class ShelfRecords {
  readonly #mount: MountState;
  readonly #local: Pick<LocalState, 'journal' | 'drafts' | 'recovery'>;
  readonly #records = new WeakMap<Draft, ShelvedRecord>();
  /** A rename, or another wish, comes while an fsync waits for the disk: what that records must not outlast them. */
  readonly #turns = new Turns<Draft>();

  constructor(mount: MountState, local: Pick<LocalState, 'journal' | 'drafts' | 'recovery'>) {
    this.#mount = mount;
    this.#local = local;
  }

  /**
   * The bytes of `file`, which is on the shelf, and what it is, are on the disk then; unless it has left the shelf meanwhile. Rejects with the
   * disk's error.
   */
  async keep(file: OpenFile): Promise<void> {
    const { draft } = file;
    if (draft === null) return;
    await draft.sync();
    await this.#turns.take([draft], () => this.#keep(file, draft));
  }

  /** What the upload of `file` shall do has changed. Rejects with the disk's error: the next mount would do something else, then. */
  async redescribed(file: OpenFile): Promise<void> {
    const { draft } = file;
    if (draft !== null) await this.#turns.take([draft], () => this.#redescribed(file, draft));
  }

  /**
   * `file` has another name now, and may have left the shelf. What the journal still said of it would bring it back under its old
   * name. Rejects with the disk's error.
   */
  async moved(file: OpenFile): Promise<void> {
    const { draft } = file;
    if (draft !== null) await this.#turns.take([draft], () => this.#moved(file, draft));
  }

  /** Shows again what the mount before had on its shelf. Never rejects: what cannot be shown stays where it is. */
  async show(): Promise<OpenFile[]> {
    const { journal, drafts } = this.#local;
    const { shelved } = journal.contents;
    if (shelved.length === 0) return [];
    const found = new Map((await drafts.list()).map((draft) => [draft.id, draft]));
    const waiting = new Set(this.#local.recovery.drafts.map(({ id }) => id));
    const shown: OpenFile[] = [];
    for (const record of shelved) {
      const draft = found.get(record.id);
      // One for each that a program has synced and removed: there may be thousands, and the mount is not ready before.
      if (draft === undefined || waiting.has(record.id)) journal.forgetLater([remove('shelved', record)]);
      else shown.push(...(await this.#showOne(record, draft)));
    }
    return shown;
  }

  async #showOne(record: ShelvedRecord, { id, size }: FoundDraft): Promise<OpenFile[]> {
    const { content, table, resting, kept, log } = this.#mount;
    const { path, kind, local, contentType, visibility } = record;
    try {
      if (table.dirty(path) !== undefined) throw new Error('another file waits under its name');
      const file = new OpenFile(path, null);
      file.draft = await content.openDraft(id, size);
      file.dirty = true;
      file.written = true;
      const shown = await kept.attributesOf(id, local);
      file.wishes = { basis: 'rewrite', contentType, visibility, local: shown };
      file.shelf = { kind, mode: modeAtCreation(kind) };
      file.closedHere = file.draft;
      table.add(file);
      this.#records.set(file.draft, record);
      return [file];
    } catch (error) {
      log.error('a scratch file of an earlier mount cannot be shown, and stays where it is', {
        path,
        cause: describeError(error),
      });
      resting.add(id, { kind: 'scratch', record });
      return [];
    }
  }

  async #keep(file: OpenFile, draft: Draft): Promise<void> {
    const { shelf, path, wishes } = file;
    if (shelf === null || file.detached || file.draft !== draft) return;
    const { createdAt } = draft.facts;
    const { local, contentType, visibility } = wishes;
    const { kind } = shelf;
    await this.#put(draft, { id: draft.id, path, kind, createdAt, local, contentType, visibility });
  }

  async #redescribed(file: OpenFile, draft: Draft): Promise<void> {
    const record = this.#records.get(draft);
    if (file.shelf !== null && record !== undefined) await this.#put(draft, { ...record, ...wishesOf(file) });
  }

  async #moved(file: OpenFile, draft: Draft): Promise<void> {
    const { shelf, path } = file;
    const record = this.#records.get(draft);
    if (record === undefined) return;
    if (shelf !== null) {
      await this.#put(draft, { ...record, path, ...wishesOf(file) });
      return;
    }
    await this.#local.journal.commit([remove('shelved', record)]);
    this.#records.delete(draft);
  }

  async #put(draft: Draft, record: ShelvedRecord): Promise<void> {
    await this.#local.journal.commit([put('shelved', record)]);
    this.#records.set(draft, record);
  }
}

function wishesOf({ wishes }: OpenFile): Pick<ShelvedRecord, 'contentType' | 'visibility'> {
  const { contentType, visibility } = wishes;
  return { contentType, visibility };
}
