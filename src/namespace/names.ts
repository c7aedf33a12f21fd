/**
 * How are a million names remembered? What a listing told of a file, and nobody has looked at by itself, is a row of numbers;
 * everything else is an object. Whoever is handed a version to keep is handed the only one there is, so its row ends then.
 */
import { TextSet } from '../base/text-set.ts';
import type { Entry, FileEntryKnown, NamedEntry } from './entries.ts';
import { FileRows } from './file-rows.ts';

/** Roughly, beside its name: an entry with its version. */
const ENTRY_BYTES = 350;

const NO_OBJECTS: ReadonlyMap<number, Entry> = new Map();

/** Each name has a place; what is known of it is in its row, or among the objects. */
class Places {
  readonly names = new TextSet();
  readonly rows = new FileRows();
  /** Null while there is none, as in most of a hundred thousand folders. */
  #objects: Map<number, Entry> | null = null;

  get objects(): ReadonlyMap<number, Entry> {
    return this.#objects ?? NO_OBJECTS;
  }

  read(place: number): Entry {
    return this.#objects?.get(place) ?? this.rows.read(place);
  }

  put(place: number, entry: Entry): void {
    this.rows.remove(place);
    (this.#objects ??= new Map<number, Entry>()).set(place, entry);
  }

  remove(place: number): void {
    this.#objects?.delete(place);
    this.rows.remove(place);
    this.names.delete(place);
  }

  isUsed(place: number): boolean {
    return this.objects.has(place) || this.rows.has(place);
  }
}

/** The names of one folder, in the order in which they were first set. */
export class Names {
  #places = new Places();
  #missing = 0;
  /** Undefined until somebody asks, and again after a change. */
  #state: object | undefined;

  get size(): number {
    return this.#places.names.size;
  }

  /** Names of files and folders. */
  get visible(): number {
    return this.size - this.#missing;
  }

  /** Roughly, the memory that it takes. */
  get bytes(): number {
    const { names, rows, objects } = this.#places;
    return names.bytes + rows.bytes + objects.size * ENTRY_BYTES;
  }

  /** Another one as soon as other names are shown, or other files under them, or in another order; never the same again then. */
  get state(): object {
    return (this.#state ??= {});
  }

  has(name: string): boolean {
    return this.#places.names.has(name);
  }

  /** To keep: from now on everybody is given the same version. */
  get(name: string): Entry | undefined {
    const place = this.#placeOf(name);
    if (place === undefined) return undefined;
    const entry = this.#places.read(place);
    this.#put(place, entry);
    return entry;
  }

  /** To look at, and to let go: of a version that nobody keeps a likeness is given. */
  peek(name: string): Entry | undefined {
    const place = this.#placeOf(name);
    return place === undefined ? undefined : this.#places.read(place);
  }

  set(name: string, entry: Entry): void {
    const place = this.#placeOf(name);
    this.#noteChange(place, entry);
    this.#put(place ?? this.#places.names.add(name), entry);
  }

  /** As `set`, for a file that a listing told of. `kept`: where else its version may have been given away. */
  setTold(name: string, entry: FileEntryKnown, kept: Names): void {
    const place = this.#placeOf(name);
    const isObject = place !== undefined && this.#places.objects.has(place);
    if (isObject || (kept !== this && kept.#isObject(name)) || !entry.version.isPlain) {
      this.set(name, entry);
      return;
    }
    this.#noteChange(place, entry);
    this.#places.rows.write(place ?? this.#places.names.add(name), entry);
  }

  delete(name: string): void {
    this.#state = undefined;
    const place = this.#placeOf(name);
    if (place === undefined) return;
    if (this.#places.objects.get(place)?.kind === 'missing') this.#missing -= 1;
    this.#places.remove(place);
    if (this.#places.names.texts.length > 2 * this.size) this.#closeUp();
  }

  /** Those that are here now, as far as they still are, or are again; also one that went before and comes meanwhile. */
  keys(): Iterable<string> {
    return this.#those(this.#places, this.#places.names.texts.length);
  }

  /** To look at, as `peek`. */
  *[Symbol.iterator](): Generator<NamedEntry, void> {
    for (const name of this.keys()) {
      const entry = this.peek(name);
      if (entry !== undefined) yield [name, entry];
    }
  }

  /** Those whose versions may have been given away. */
  *given(): Generator<NamedEntry, void> {
    const { names, objects } = this.#places;
    for (const [place, entry] of objects) yield [names.texts.at(place), entry];
  }

  *#those(places: Places, count: number): Generator<string, void> {
    for (let place = 0; place < count; place += 1) {
      const name = places.names.texts.at(place);
      const isHere = places.isUsed(place);
      // What came back before has a later place among these; what came back since would be given by none.
      if (!isHere && (places.names.numberOf(name) ?? count) < count) continue;
      // Once places were given up, these tell what was here until then.
      if ((isHere && places === this.#places) || this.has(name)) yield name;
    }
  }

  #placeOf(name: string): number | undefined {
    return this.#places.names.numberOf(name);
  }

  #noteChange(place: number | undefined, next: Entry): void {
    if (this.#state === undefined) return;
    const before = place === undefined ? undefined : this.#places.read(place);
    if (before?.kind !== next.kind) this.#state = undefined;
    else if (
      before.kind === 'file' &&
      next.kind === 'file' &&
      before.version.lineage !== next.version.lineage
    )
      this.#state = undefined;
  }

  #isObject(name: string): boolean {
    if (this.#places.objects.size === 0) return false;
    const place = this.#placeOf(name);
    return place !== undefined && this.#places.objects.has(place);
  }

  #put(place: number, entry: Entry): void {
    if (this.#places.objects.get(place)?.kind === 'missing') this.#missing -= 1;
    if (entry.kind === 'missing') this.#missing += 1;
    this.#places.put(place, entry);
  }

  /** Gives up the places of names that were deleted. */
  #closeUp(): void {
    const { names, rows, objects } = this.#places;
    this.#places = new Places();
    for (let before = 0; before < names.texts.length; before += 1) {
      const entry = objects.get(before);
      if (entry === undefined && !rows.has(before)) continue;
      const place = this.#places.names.add(names.texts.at(before));
      if (entry === undefined) this.#places.rows.write(place, rows.read(before));
      else this.#places.put(place, entry);
    }
  }
}
