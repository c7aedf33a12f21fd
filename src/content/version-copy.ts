/**
 * How does a file version get out of here whole, to a draft or another name? What is here is copied; what is missing comes from the
 * service, one GET a stretch, straight to where it goes.
 */
import type { ByteRange } from '../base/byte-range.ts';
import { BLOCKS_PER_GROUP } from './disk-cache/group-format.ts';
import type { ReadContext } from './read-context.ts';
import type { VersionBytes } from './version-bytes.ts';

/** Takes a copy of a version's bytes; `Draft` does. */
export interface CopyTarget {
  write(data: Uint8Array, position: number): Promise<void>;
}

interface CopyParts {
  readonly target: CopyTarget;
  /** Fills its first argument with those bytes, as a program's read would. */
  readonly read: (into: Uint8Array, piece: ByteRange) => Promise<void>;
  /** A read of any of its bytes brings all of them. */
  readonly comesWhole: boolean;
}

/** Bytes of a copy whose blocks are looked for on the disk before a GET: each group of them is a file to open. */
const LOOKED_AT = 1024 * 1024 * 1024;

/** One copy. Rejects as `VersionReader.copyTo` says. */
export class VersionCopy {
  readonly #context: ReadContext;
  readonly #bytes: VersionBytes;
  readonly #parts: CopyParts;

  constructor(context: ReadContext, bytes: VersionBytes, parts: CopyParts) {
    this.#context = context;
    this.#bytes = bytes;
    this.#parts = parts;
  }

  /** Copies the bytes `range` that the version has. */
  async run(range: ByteRange): Promise<void> {
    const { version } = this.#bytes;
    let { id } = version;
    const end = Math.min(range.end, version.size);
    for (let position = range.start; position < end;) {
      const step = await this.#step(position, end);
      ({ position } = step);
      if (id === version.id) continue;
      // What was here until now may be of other bytes than those that have come (version.ts).
      ({ id } = version);
      await this.run({ start: range.start, end: step.here });
    }
  }

  /** Copies what follows at `position`, at most to `end`. Tells where the next step begins, and up to where bytes came from here. */
  async #step(position: number, end: number): Promise<{ readonly position: number; readonly here: number }> {
    const { blockSize } = this.#context.cache;
    const { target, read, comesWhole } = this.#parts;
    const { size } = this.#bytes.version;
    const aligned = position - (position % blockSize);
    const horizon = this.#bytes.disk.content === null ? size : Math.min(size, position + LOOKED_AT);
    const missingUntil = await this.#missingUntil(aligned, horizon);
    if (missingUntil > aligned && !comesWhole) {
      const gap = { start: position, end: Math.min(missingUntil, end) };
      return { here: position, position: await this.#stream(gap, end) };
    }
    const piece = { start: position, end: Math.min(end, aligned + blockSize) };
    const data = new Uint8Array(piece.end - piece.start);
    await read(data, piece);
    await target.write(data, position);
    return { here: piece.end, position: piece.end };
  }

  /** How far the missing blocks from `start` on reach, at most to `limit`. */
  async #missingUntil(start: number, limit: number): Promise<number> {
    const groupSize = BLOCKS_PER_GROUP * this.#context.cache.blockSize;
    for (let from = start; from < limit;) {
      const until = Math.min(limit, from - (from % groupSize) + groupSize);
      // One group at a time: only so many are held open, and others copy, too.
      await this.#bytes.disk.look({ start: from, end: until });
      if (!this.#bytes.isMissing(from)) return from;
      const { end } = this.#bytes.gapFrom(from, until);
      if (end < until) return end;
      from = until;
    }
    return limit;
  }

  /** Sends bytes from the service straight to the target; tells where it stopped: `limit` when the whole file came anyway. */
  async #stream(range: ByteRange, limit: number): Promise<number> {
    let until = range.end;
    const request = { key: this.#bytes.key, range, expected: this.#bytes.version };
    await this.#context.ranges.read(request, {
      begin: (delivered) => {
        until = Math.max(until, Math.min(delivered.end, limit));
      },
      chunk: async (data, position) => {
        const from = Math.max(0, range.start - position);
        const wanted = data.subarray(from, Math.max(from, until - position));
        if (wanted.length > 0) await this.#parts.target.write(wanted, position + from);
      },
    });
    return until;
  }
}
