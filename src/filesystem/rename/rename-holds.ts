/**
 * What must not be stored yet, since a rename that the end of an earlier process cut is not finished? Bytes that it takes along, or that it
 * has replaced: under their old name they would be there twice, or come back in place of the copy.
 */
import type { Draft } from '../../content/draft.ts';
import type { RenameUnderWay } from '../../content/journal/journal-contents.ts';
import { keyOfPath } from '../../store/keys.ts';
import { draftsOf } from '../drafts/draft-records.ts';
import type { OpenFile } from '../open-file.ts';

interface Hold {
  /** Identifiers of drafts. */
  readonly drafts: ReadonlySet<string>;
  readonly files: readonly OpenFile[];
}

/** Only of what earlier mounts left: what programs write from now on goes where they say. */
export class RenameHolds {
  /** By the identifiers of renames. */
  readonly #holds = new Map<string, Hold>();

  /** `files` are all that earlier mounts left. Call before any of them is sent. */
  hold({ rename, steps }: RenameUnderWay, files: readonly OpenFile[]): void {
    const named = new Set(steps.flatMap(({ drafts }) => drafts));
    const held = files.filter((file) => {
      const key = keyOfPath(file.path);
      const isMoved = rename.kind === 'folder' ? key.startsWith(rename.from) : key === rename.from;
      return isMoved || [...draftsOf(file)].some(({ id }) => named.has(id));
    });
    const drafts = new Set(held.flatMap((file) => [...draftsOf(file)].map(({ id }) => id)));
    this.#holds.set(rename.id, { drafts, files: held });
  }

  has(draft: Draft): boolean {
    return [...this.#holds.values()].some(({ drafts }) => drafts.has(draft.id));
  }

  /** Those of `files` of which nothing is held. */
  free(files: readonly OpenFile[]): OpenFile[] {
    return files.filter((file) => ![...draftsOf(file)].some((draft) => this.has(draft)));
  }

  /** The rename is over. Returns the files that were held for it. */
  release(rename: string): readonly OpenFile[] {
    const files = this.#holds.get(rename)?.files ?? [];
    this.#holds.delete(rename);
    return files;
  }
}
