/**
 * Which DELETEs are owed, by path and by folder? A program that removes a tree may owe one in each of very many folders, and each is looked
 * at together with those beside it.
 */
import type { DeletionRecord } from '../../content/journal/records.ts';
import { parentOf } from '../../store/keys.ts';
import type { Version } from '../../store/version.ts';

/** A DELETE that is owed. */
export interface Deletion {
  record: DeletionRecord;
  readonly versions: readonly Version[];
  /** Whether an upload of unknown end may still bring one of them back. */
  readonly isUnsure: boolean;
  /** Monotonic milliseconds at which the request left that showed one of them last. */
  seenAt: number;
}

/** Of one mount: at most one a path, in no order that means anything. */
export class OwedDeletions {
  readonly #byFolder = new Map<string, Map<string, Deletion>>();

  get(path: string): Deletion | undefined {
    return this.#byFolder.get(parentOf(path))?.get(path);
  }

  set(path: string, deletion: Deletion): void {
    const folder = parentOf(path);
    const there = this.#byFolder.get(folder);
    if (there === undefined) this.#byFolder.set(folder, new Map([[path, deletion]]));
    else there.set(path, deletion);
  }

  delete(path: string): void {
    const folder = parentOf(path);
    const there = this.#byFolder.get(folder);
    there?.delete(path);
    if (there?.size === 0) this.#byFolder.delete(folder);
  }

  /** Directly inside `folder`, by path: costs what is there, however many are owed elsewhere. */
  in(folder: string): Iterable<readonly [string, Deletion]> {
    return this.#byFolder.get(folder) ?? [];
  }

  /** At `path` and below it. */
  pathsFrom(path: string): string[] {
    const below = this.paths((folder) => folder === path || folder.startsWith(`${path}/`));
    return this.get(path) === undefined ? below : [path, ...below];
  }

  /** Of the folders that are `meant`. */
  paths(isMeant: (folder: string) => boolean = () => true): string[] {
    return [...this.#byFolder].flatMap(([folder, there]) => (isMeant(folder) ? [...there.keys()] : []));
  }

  all(): Deletion[] {
    return [...this.#byFolder.values()].flatMap((there) => [...there.values()]);
  }
}
