/** Is every byte that a program is given, and every byte that is kept, the file's, though blocks lie in memory that others have used? */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BlockMemory } from '../../src/base/block-memory.ts';
import { ReadStream } from '../../src/content/read-stream.ts';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';
import { Reading, SMALL, settle } from './reading.ts';

const HANDLES = 3;
const MOST_BYTES = 700;

/** Whatever is not written before it is read stands out, and so does what is read after it was let go of. */
class UsedMemory extends BlockMemory {
  override take(bytes: number): Uint8Array {
    return super.take(bytes).fill(0xee);
  }

  override letGo(block: Uint8Array): void {
    const before = this.free;
    super.letGo(block);
    if (this.free > before) block.fill(0xdd);
  }
}

const handle = fc.nat(HANDLES - 1);
/** Of one run: programs that read the same places have blocks of each other. */
const favourites = fc
  .nat(MOST_BYTES)
  .chain((place) => fc.tuple(fc.constant(place), fc.integer({ min: place - 40, max: place })));
const acts = fc.oneof(
  /** One place, or a favourite one, once or again and again. */
  fc.record({
    act: fc.constant('read' as const),
    handle,
    at: fc.oneof(fc.nat(MOST_BYTES), fc.constantFrom('one' as const, 'other' as const)),
    length: fc.integer({ min: 1, max: 40 }),
    times: fc.constantFrom(1, 1, 8),
  }),
  /** Further on, or a little back. */
  fc.record({
    act: fc.constant('go on' as const),
    handle,
    by: fc.integer({ min: -40, max: 10 }),
    length: fc.integer({ min: 1, max: 40 }),
    times: fc.constantFrom(1, 2, 8),
  }),
  fc.record({ act: fc.constant('pause' as const), milliseconds: fc.constantFrom(1000, 12_000) }),
  fc.record({ act: fc.constant('others need the room' as const), blocks: fc.integer({ min: 1, max: 40 }) }),
);
type Act = typeof acts extends fc.Arbitrary<infer Each> ? Each : never;
type ReadAct = Extract<Act, { times: number }>;

/** Some handles of one file, read one after the other. */
class Programs {
  readonly #reading: Reading;
  readonly #favourites: readonly [number, number];
  readonly #streams = Array.from({ length: HANDLES }, () => new ReadStream(2 * SMALL.blockSize, 64));
  /** Where each is. */
  readonly #places = new Map<number, number>();

  constructor(reading: Reading, favourites: readonly [number, number]) {
    this.#reading = reading;
    this.#favourites = favourites;
  }

  async play(act: Act): Promise<void> {
    const { cache, clock } = this.#reading;
    if (act.act === 'pause') {
      clock.advance(act.milliseconds);
    } else if (act.act === 'others need the room') {
      const other = cache.provisionalVersion();
      for (let index = 0; index < act.blocks; index += 1) {
        const block = cache.memory.take(SMALL.blockSize);
        cache.set(other, index, block);
        cache.memory.letGo(block);
      }
      cache.dropVersion(other);
    } else {
      await this.#read(act);
    }
    await settle();
  }

  async #read(act: ReadAct): Promise<void> {
    let at = this.#placeOf(act);
    for (let time = 0; time < act.times; time += 1) {
      expect(await this.#reading.reads(at, act.length, this.#streams[act.handle])).toBe(true);
      if (act.act === 'go on') at += act.length;
    }
    this.#places.set(act.handle, at);
  }

  #placeOf(act: ReadAct): number {
    if (act.act === 'go on') return Math.max(0, (this.#places.get(act.handle) ?? 0) + act.by);
    const [one, other] = this.#favourites;
    if (act.at === 'one') return one;
    return act.at === 'other' ? Math.max(0, other) : act.at;
  }
}

it(
  'whatever programs read of a file, and however little memory there is [fresh/no-mixing]',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: MOST_BYTES }),
        fc.constantFrom(100, 300, 700, 1500),
        favourites,
        fc.array(acts, { minLength: 1, maxLength: 25 }),
        async (size, cacheBytes, places, steps) => {
          const memory = new UsedMemory(SMALL.blockSize);
          const reading = await Reading.begin({ ...SMALL, size, cacheBytes, memory });
          const programs = new Programs(reading, places);

          for (const step of steps) await programs.play(step);

          reading.cache.forEach(reading.version.id, (index, block) => {
            const start = index * SMALL.blockSize;
            expect(Buffer.compare(block, reading.content.subarray(start, start + block.length))).toBe(0);
          });
          void reading.reader.dispose();
          await settle();
          expect(reading.cache.spokenFor).toBe(0);
        },
      ),
      propertySettings(1000),
    );
  },
  PROPERTY_TIMEOUT,
);
