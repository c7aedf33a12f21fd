/** Who may fetch a file, and by which links? What the service told of that is believed for the TTL, and a link while it lasts. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { VisibilityRecord } from '../../service/records.ts';
import type { Version } from '../../store/version.ts';

/** One `getfattr -d` reads four values of the same record. */
const MAX_RECORDS = 1000;
/** A share link with less than this left is of little use to whoever gets it. Milliseconds. */
const LEAST_LINK_LIFE = 10 * 60_000;

interface KnownRecord {
  readonly record: VisibilityRecord;
  /** Monotonic milliseconds at which the request left. */
  readonly at: number;
}

/** By version: a replaced file has other links. */
export class VisibilityRecords {
  readonly #clock: Clock;
  readonly #records = new LRUCache<Version, KnownRecord>({ max: MAX_RECORDS });
  /** Since when nobody knows whether it was set: what was asked for before says nothing. Monotonic milliseconds. */
  readonly #doubtedAt = new WeakMap<Version, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined when the service must be asked. `isFresh`: whether what was learned then is still believed. */
  recall(version: Version, isFresh: (at: number) => boolean): VisibilityRecord | undefined {
    const known = this.#records.get(version);
    if (known === undefined || !isFresh(known.at) || !this.#isLasting(known.record)) return undefined;
    // An upload, or a link restored since, has made it another, whose links nobody has asked for.
    const now = version.visibility?.value ?? known.record.visibility;
    return now === known.record.visibility ? known.record : undefined;
  }

  /** What was asked for. `at`: monotonic milliseconds at which the request left. */
  remember(version: Version, record: VisibilityRecord, at: number): void {
    // A program here, or an upload, has set it meanwhile: the next edit would undo that.
    const since = Math.max(version.visibility?.at ?? -Infinity, this.#doubtedAt.get(version) ?? -Infinity);
    if (since > at) return;
    this.#records.set(version, { record, at });
    version.visibility = { value: record.visibility, at };
  }

  /** What a program here has just set, by a request that left `at`. */
  rememberSet(version: Version, record: VisibilityRecord, at: number): void {
    this.#records.set(version, { record, at });
    version.visibility = { value: record.visibility, at: this.#clock.monotonic() };
  }

  /** A program here was to set it, and nobody knows whether that is done: the service has to be asked. */
  doubt(version: Version): void {
    this.#records.delete(version);
    version.visibility = undefined;
    this.#doubtedAt.set(version, this.#clock.monotonic());
  }

  #isLasting({ shareExpiresAt }: VisibilityRecord): boolean {
    return shareExpiresAt === null || shareExpiresAt.getTime() - this.#clock.now() >= LEAST_LINK_LIFE;
  }
}
