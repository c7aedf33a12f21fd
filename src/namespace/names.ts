/**
 * How are a million names remembered? What a listing told of a file, and nobody has looked at by itself, is a row of numbers;
 * everything else is an object. Whoever is handed a version to keep is handed the only one there is, so its row ends then.
 */
import type { Entry, FileEntryKnown, NamedEntry } from './entries.ts';
import { FileRows } from './file-rows.ts';

/** Roughly, a name in the index with its text. */
const NAME_BYTES = 80;
/** Roughly, beside its name: an entry with its version. */
const ENTRY_BYTES = 350;

/** The names of one folder, in the order in which they were first set. */
export class Names {
  readonly #slots = new Map<string, Entry | number>();
  readonly #rows = new FileRows();
  #missing = 0;
  /** Undefined until somebody asks, and again after a change. */
  #state: object | undefined;

  get size(): number {
    return this.#slots.size;
  }

  /** Names of files and folders. */
  get visible(): number {
    return this.#slots.size - this.#missing;
  }

  /** Roughly, the memory that it takes. */
  get bytes(): number {
    const entries = this.#slots.size - this.#rows.size;
    return this.#slots.size * NAME_BYTES + this.#rows.bytes + entries * ENTRY_BYTES;
  }

  /** Another one as soon as other names are shown, or other files under them, or in another order; never the same again then. */
  get state(): object {
    return (this.#state ??= {});
  }

  has(name: string): boolean {
    return this.#slots.has(name);
  }

  /** To keep: from now on everybody is given the same version. */
  get(name: string): Entry | undefined {
    const slot = this.#slots.get(name);
    if (typeof slot !== 'number') return slot;
    const entry = this.#rows.read(slot);
    this.#put(name, entry);
    return entry;
  }

  /** To look at, and to let go: of a version that nobody keeps a likeness is given. */
  peek(name: string): Entry | undefined {
    return this.#read(this.#slots.get(name));
  }

  set(name: string, entry: Entry): void {
    this.#noteChange(name, entry);
    this.#put(name, entry);
  }

  /** As `set`, for a file that a listing told of. `kept`: where else its version may have been given away. */
  setTold(name: string, entry: FileEntryKnown, kept: Names): void {
    if (this.#isObject(name) || kept.#isObject(name) || !entry.version.isPlain) {
      this.set(name, entry);
      return;
    }
    const slot = this.#slots.get(name);
    this.#noteChange(name, entry);
    if (typeof slot === 'number') this.#rows.write(slot, entry);
    else this.#put(name, this.#rows.add(entry));
  }

  delete(name: string): void {
    this.#state = undefined;
    this.#end(this.#slots.get(name));
    this.#slots.delete(name);
  }

  keys(): IterableIterator<string> {
    return this.#slots.keys();
  }

  /** To look at, as `peek`. */
  *[Symbol.iterator](): Generator<NamedEntry, void> {
    for (const [name, slot] of this.#slots) yield [name, this.#read(slot)];
  }

  /** Those whose versions may have been given away. */
  *given(): Generator<NamedEntry, void> {
    for (const [name, slot] of this.#slots) if (typeof slot !== 'number') yield [name, slot];
  }

  #noteChange(name: string, next: Entry): void {
    if (this.#state === undefined) return;
    const before = this.peek(name);
    if (before?.kind !== next.kind) this.#state = undefined;
    else if (
      before.kind === 'file' &&
      next.kind === 'file' &&
      before.version.lineage !== next.version.lineage
    )
      this.#state = undefined;
  }

  #isObject(name: string): boolean {
    return typeof this.#slots.get(name) === 'object';
  }

  #put(name: string, next: Entry | number): void {
    this.#end(this.#slots.get(name));
    if (isMissing(next)) this.#missing += 1;
    this.#slots.set(name, next);
  }

  #end(slot: Entry | number | undefined): void {
    if (typeof slot === 'number') this.#rows.remove(slot);
    else if (slot !== undefined && isMissing(slot)) this.#missing -= 1;
  }

  #read(slot: Entry | number): Entry;
  #read(slot: Entry | number | undefined): Entry | undefined;
  #read(slot: Entry | number | undefined): Entry | undefined {
    return typeof slot === 'number' ? this.#rows.read(slot) : slot;
  }
}

function isMissing(slot: Entry | number): boolean {
  return typeof slot === 'object' && slot.kind === 'missing';
}
