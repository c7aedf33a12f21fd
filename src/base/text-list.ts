/**
 * How are a million short texts remembered? One after another in memory outside the heap: there nobody marks, moves or collects
 * them, and a text costs its characters and six bytes.
 */

/** All but the first are as large; a place is a number of 32 bits. */
const CHUNK_BYTES = 64 * 1024;
const FIRST_CHUNK_BYTES = 128;
const FIRST_PLACES = 8;
/** Before each text: how long it is, and whether its characters take two bytes. */
const LENGTH_BYTES = 2;
/** Two bytes each, it has to fit into a chunk. */
const LONGEST = 16_383;
const LAST_NARROW = 0xff;
/** FNV-1a, by characters. */
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/** Texts by the order in which they were added. None is ever taken out. */
export class TextList implements Iterable<string> {
  #chunks: readonly Buffer[] = [];
  #places: Uint32Array<ArrayBuffer>;
  #length = 0;
  /** In the last chunk. */
  #end = 0;

  /** Room for so many texts, of so many bytes in all, is made at once: what grows to that leaves as much for the collector. */
  constructor(texts = 0, bytes = 0) {
    this.#places = new Uint32Array(texts);
    if (bytes > 0) this.#append(Buffer.allocUnsafeSlow(Math.min(bytes, CHUNK_BYTES)));
  }

  static of(texts: Iterable<string>): TextList {
    const list = new TextList();
    for (const text of texts) list.add(text);
    return list;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory that it takes. */
  get bytes(): number {
    const last = this.#chunks.at(-1)?.length ?? 0;
    return Math.max(0, this.#chunks.length - 1) * CHUNK_BYTES + last + this.#places.byteLength;
  }

  /** Its index. Throws a `RangeError` for a text that is longer than any name. */
  add(text: string): number {
    if (text.length > LONGEST) throw new RangeError(`a text of ${text.length} characters`);
    const isWide = hasWide(text);
    const bytes = LENGTH_BYTES + (isWide ? 2 * text.length : text.length);
    const chunk = this.#roomFor(bytes);
    this.#growPlaces();
    this.#places[this.#length] = (this.#chunks.length - 1) * CHUNK_BYTES + this.#end;
    chunk.writeUInt16LE(2 * text.length + (isWide ? 1 : 0), this.#end);
    const start = this.#end + LENGTH_BYTES;
    if (isWide) chunk.write(text, start, 'utf16le');
    // Faster than a call for so few.
    else for (let index = 0; index < text.length; index += 1) chunk[start + index] = text.charCodeAt(index);
    this.#end += bytes;
    this.#length += 1;
    return this.#length - 1;
  }

  at(index: number): string {
    const { chunk, start, length, isWide } = this.#find(index);
    if (isWide) return chunk.toString('utf16le', start, start + 2 * length);
    return chunk.toString('latin1', start, start + length);
  }

  /** Whether that is the one at `index`. */
  isAt(index: number, text: string): boolean {
    const { chunk, start, length, isWide } = this.#find(index);
    if (length !== text.length) return false;
    for (let at = 0; at < length; at += 1)
      if (unitAt(chunk, start, at, isWide) !== text.charCodeAt(at)) return false;
    return true;
  }

  /** `hashOf` the one at `index`. */
  hashAt(index: number): number {
    const { chunk, start, length, isWide } = this.#find(index);
    let hash = HASH_START;
    for (let at = 0; at < length; at += 1)
      hash = Math.imul(hash ^ unitAt(chunk, start, at, isWide), HASH_FACTOR);
    return hash;
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (let index = 0; index < this.#length; index += 1) yield this.at(index);
  }

  #find(index: number): Stored {
    const place = this.#places[index] ?? 0;
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES)];
    if (chunk === undefined || index >= this.#length) throw new RangeError(`there is no text ${index}`);
    const start = place % CHUNK_BYTES;
    const head = chunk.readUInt16LE(start);
    return { chunk, start: start + LENGTH_BYTES, length: head >>> 1, isWide: (head & 1) === 1 };
  }

  #roomFor(bytes: number): Buffer {
    const last = this.#chunks.at(-1);
    if (last !== undefined && this.#end + bytes <= last.length) return last;
    if (last === undefined || this.#end + bytes > CHUNK_BYTES) {
      const size = last === undefined ? Math.max(FIRST_CHUNK_BYTES, bytes) : CHUNK_BYTES;
      this.#end = 0;
      return this.#append(Buffer.allocUnsafeSlow(size));
    }
    // Only the first: most lists are short.
    const larger = Buffer.allocUnsafeSlow(
      Math.min(CHUNK_BYTES, Math.max(2 * last.length, this.#end + bytes)),
    );
    last.copy(larger);
    this.#chunks = [];
    return this.#append(larger);
  }

  /** An array that grows by itself makes room for seventeen; most lists have one. */
  #append(chunk: Buffer): Buffer {
    this.#chunks = this.#chunks.concat(chunk);
    return chunk;
  }

  #growPlaces(): void {
    if (this.#length < this.#places.length) return;
    const larger = new Uint32Array(Math.max(FIRST_PLACES, 2 * this.#length));
    larger.set(this.#places);
    this.#places = larger;
  }
}

/** The same number for the same text, and mostly another for another. */
export function hashOf(text: string): number {
  let hash = HASH_START;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_FACTOR);
  return hash;
}

interface Stored {
  readonly chunk: Buffer;
  readonly start: number;
  readonly length: number;
  readonly isWide: boolean;
}

function hasWide(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > LAST_NARROW) return true;
  return false;
}

function unitAt(chunk: Buffer, start: number, at: number, isWide: boolean): number {
  return isWide ? chunk.readUInt16LE(start + 2 * at) : (chunk[start + at] ?? 0);
}
