/**
 * Which listings are asked for before a program asks? Those of the folders that a program which reads a tree comes to next
 * (tree-reader.ts): one page of each, a few side by side. They are what the program would have asked for, only earlier, so a tree
 * that is read to its end costs no request more.
 */
import type { Clock } from '../base/clock.ts';
import type { KnownNames } from './known-names.ts';
import { TreeReader, type TreeView } from './tree-reader.ts';

export interface ListingsAheadParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly known: KnownNames;
  /** For how long a listing is trusted, milliseconds. */
  readonly ttl: number;
  /** Asks for the first page of a folder, which is then known. Resolves when it is there, to whether that is the whole folder. */
  readonly ask: (path: string) => Promise<boolean>;
}

/** Programs that are told apart; what is foreseen of more is forgotten. */
const MOST_READERS = 4;
/** At a time, for all of them. */
const MOST_AT_ONCE = 8;

/** One mount's. */
export class ListingsAhead {
  readonly #parts: ListingsAheadParts;
  readonly #view: TreeView;
  /** The one heard of last is the last. */
  readonly #readers: TreeReader[] = [];
  /** Asked for, and not listed by the program yet. */
  readonly #asked = new Set<string>();
  #underWay = 0;

  constructor(parts: ListingsAheadParts) {
    this.#parts = parts;
    const { known, ttl } = parts;
    this.#view = {
      foldersIn: (path, most) => foldersIn(known, path, most),
      isLong: (path) => (known.folder(path)?.listed?.pages ?? 1) > 1,
      lifetime: ttl,
    };
  }

  /** A program begins to list `path`. */
  listing(path: string): void {
    if (this.#parts.ttl === 0) return;
    this.#asked.delete(path);
    if (this.#readers.some((reader) => reader.at === path)) return;
    const reader = this.#readerOf(path);
    this.#lookAhead(reader);
  }

  #readerOf(path: string): TreeReader {
    const index = this.#readers.findLastIndex((reader) => reader.mayGoTo(path));
    const [known] = index === -1 ? [] : this.#readers.splice(index, 1);
    const reader = known ?? new TreeReader(this.#view, path);
    if (known !== undefined) known.goTo(path, this.#parts.clock.monotonic());
    this.#readers.push(reader);
    if (this.#readers.length > MOST_READERS) this.#readers.shift();
    // Nobody may ever come for what was asked for in vain.
    if (this.#asked.size > MOST_READERS * MOST_AT_ONCE) this.#asked.clear();
    return reader;
  }

  #lookAhead(reader: TreeReader): void {
    for (const path of reader.foreseen(this.#parts.clock.monotonic())) {
      if (this.#underWay >= MOST_AT_ONCE) return;
      if (!this.#asked.has(path)) void this.#ask(reader, path);
    }
  }

  /** Never rejects: who lists the folder hears of a failure. */
  async #ask(reader: TreeReader, path: string): Promise<void> {
    this.#asked.add(path);
    this.#underWay += 1;
    const isWhole = await this.#parts.ask(path);
    this.#underWay -= 1;
    if (isWhole && this.#readers.includes(reader)) this.#lookAhead(reader);
    else reader.giveUp();
  }
}

function foldersIn(known: KnownNames, path: string, most: number): readonly string[] | undefined {
  const folder = known.listedFresh(path);
  const isStill = (name: string): boolean => folder?.names.peek(name)?.kind === 'folder';
  return folder?.listed?.folders.slice(0, most).filter(isStill);
}
