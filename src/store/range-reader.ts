/**
 * How does one read a stretch of a file from a service that may or may not honour Range?
 *
 * The spec does not mention Range (§4.8), so an answer may hold the bytes asked for, fewer of them (one, even), or the whole file, and
 * the request may be refused; bodies may be cut, and the file may be replaced between two answers. All of that ends here: a caller
 * gets bytes in order, of one version, each once, or an error.
 */
import { byteLength, type ByteRange } from '../base/byte-range.ts';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { RunningClock } from '../base/running-clock.ts';
import type { Download, ObjectService, Pausing } from '../service/object-service.ts';
import type { ObjectHead } from '../service/records.ts';
import { Refusal, isRefusal, type RefusalKind } from '../service/refusal.ts';
import type { Gate } from './gates.ts';
import { beginningOf, mostHeld, onceComplete } from './held-body.ts';
import { RangeProgress } from './range-progress.ts';
import { noteArrival, withinTime } from './read-deadline.ts';
import { RangeTrust, type RangeSupport } from './range-trust.ts';

const NOT_IMPLEMENTED = 501;

/** The version that a reader means; `Version` is one. */
export interface ExpectedVersion {
  /** Bytes. */
  readonly size: number;
  /** Whether the answer is about this version; may keep what the answer tells. */
  matches(head: ObjectHead): boolean;
}

/** The service has another version under `key` than the one meant. */
export class VersionChanged extends Error {
  override readonly name = 'VersionChanged';

  /** What an answer with bytes tells of the file instead; null when none did. */
  readonly found: ObjectHead | null;

  constructor(key: string, found: ObjectHead | null = null) {
    super(`the file was replaced by another version: ${key}`);
    this.found = found;
  }
}

export interface RangeRequest {
  readonly key: string;
  /** Within the expected version; `whole` asks without Range. */
  readonly range: ByteRange | 'whole';
  readonly expected: ExpectedVersion;
  readonly signal?: AbortSignal | undefined;
}

/** A request under way. */
interface Transfer extends RangeRequest {
  readonly pausing: Pausing | undefined;
}

/** Takes the bytes as they land. What it throws ends the reading and is passed on. */
export interface RangeSink {
  /**
   * Once, at the headers of the first answer. `range` is what `chunk` will be given: the bytes asked for, or the whole file
   * when the service does not honour Range. `head`: what the answer tells of the file.
   */
  begin(range: ByteRange, head: ObjectHead): void | Promise<void>;
  /** In order, without gap or overlap. The next chunk waits for the promise; then the bytes of this one may change. */
  chunk(data: Uint8Array, position: number): void | Promise<void>;
}

export interface RangeReaderOptions {
  /** Only downloads are asked of it. */
  readonly service: Pick<ObjectService, 'getObject'>;
  readonly bucket: string;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly log: Log;
}

/** The downloads of one mount. */
export class RangeReader {
  readonly #service: Pick<ObjectService, 'getObject'>;
  readonly #bucket: string;
  readonly #gate: Gate;
  readonly #clock: RunningClock;
  readonly #log: Log;
  readonly #trust: RangeTrust;

  constructor(options: RangeReaderOptions) {
    this.#service = options.service;
    this.#bucket = options.bucket;
    this.#gate = options.gate;
    this.#clock = RunningClock.of(options.clock);
    this.#log = options.log;
    this.#trust = new RangeTrust(options.log);
  }

  /** Remembered for the life of this object. With `no`, Range is never sent again. */
  get rangeSupport(): RangeSupport {
    return this.#trust.support;
  }

  /**
   * Delivers the bytes of `request` to `sink`; resolves after the last. A cut body is resumed from the next byte.
   * Rejects with `VersionChanged`, with a `Refusal` (`aborted` after the signal), or with what the sink threw. (§4.8)
   */
  read(request: RangeRequest, sink: RangeSink): Promise<void> {
    return this.#gate((pausing) => this.#transfer(request, sink, pausing));
  }

  async #transfer(wanted: RangeRequest, sink: RangeSink, pausing: Pausing | undefined): Promise<void> {
    const target = wanted.range === 'whole' ? { start: 0, end: wanted.expected.size } : wanted.range;
    const stop = this.#clock.count();
    const progress = new RangeProgress(target, this.#clock);
    const request: Transfer = { ...wanted, pausing: pausing && progress.notCounting(pausing) };
    const { key, signal } = request;
    const terms = { time: progress, clock: this.#clock, key, signal };
    try {
      await this.#round(request, progress, sink);
      while (!progress.isComplete)
        await withinTime(terms, (limited) => this.#round({ ...request, signal: limited }, progress, sink));
    } finally {
      stop();
    }
  }

  /** One answer, and the pause before the next one where it was cut. */
  async #round(request: Transfer, progress: RangeProgress, sink: RangeSink): Promise<void> {
    const download = await this.#ask(request, progress);
    const before = progress.next;
    try {
      await this.#accept(download, request, progress, sink);
      progress.noteEnd(progress.next - before);
    } catch (error) {
      const isNonsense = isRefusal(error, 'malformed') && progress.hasAskedForPart;
      // Once a program may have bytes of such an answer, another way of asking would not make them right: the read fails.
      const isUsed = progress.next > before || (download.isUncounted === true && this.#trust.isProven);
      if (isNonsense && !isUsed) progress.isPlain = true;
      else await this.#waitToResume(error, request, progress, progress.next - before);
    }
  }

  /** One answer for what is still missing, of the right version. */
  async #ask(request: Transfer, progress: RangeProgress): Promise<Download> {
    const { needed } = progress;
    if (progress.isCrumbling) this.#trust.crumbles();
    const isWhole = needed.start === 0 && needed.end >= request.expected.size;
    progress.hasAskedForPart = !isWhole && this.rangeSupport !== 'no' && !progress.isPlain;
    if (!progress.hasAskedForPart) {
      const plain = await this.#checked(await this.#get(request), request, progress);
      if (progress.isPlain) this.#trust.wasNonsense();
      return plain;
    }
    try {
      const checked = await this.#checked(await this.#part(request, progress), request, progress);
      const isCrumb = progress.noteAnswer(checked.range.end);
      if (holdsWhole(checked)) this.#trust.ignored();
      else if (!isCrumb) this.#trust.honoured();
      return checked;
    } catch (error) {
      // Also the answer when the file has become shorter: the plain answer tells which it is. And an answer that nobody understands may
      // be so for the Range alone, of which the spec says nothing: other bytes than asked for, or of a file of unknown size.
      const isForRange = isRefusal(error, 'range-refused', 'malformed');
      if (!isForRange && !this.#mayBeForRange(error)) throw error;
      progress.hasAskedForPart = false;
      const checked = await this.#checked(await this.#get(request), request, progress);
      this.#trust.ignored(isForRange ? 'range' : 'maybe range');
      return checked;
    }
  }

  /** Whether no Range was honoured yet, and `error` refuses the request as it is: 400, 501, and whatever else a service says to what it does not know. */
  #mayBeForRange(error: unknown): boolean {
    const isRefused = isRefusal(error, 'rejected') || (isRefusal(error) && error.status === NOT_IMPLEMENTED);
    return isRefused && this.rangeSupport === 'unknown';
  }

  #get({ key, signal, pausing }: Transfer, range?: ByteRange): Promise<Download> {
    if (signal?.aborted === true) throw aborted(key);
    return this.#service.getObject(this.#bucket, key, { range, signal, pausing, isReadAtOnce: true });
  }

  /** Of an answer that is held until it is here to its end no more is asked for than there is memory for. */
  async #part(request: Transfer, progress: RangeProgress): Promise<Download> {
    const { needed } = progress;
    const held = beginningOf(needed, mostHeld(this.#trust.isProven, progress.cuts));
    const download = await this.#get(request, progress.isUncounted ? held : needed);
    if (download.isUncounted !== true) return download;
    progress.isUncounted = true;
    if (byteLength(download.range) <= byteLength(held)) return download;
    await close(download);
    return this.#get(request, held);
  }

  async #checked(download: Download, request: Transfer, progress: RangeProgress): Promise<Download> {
    const { head } = download;
    const isFirst = progress.head === null;
    const asBefore = isFirst || (progress.head?.etag === head.etag && progress.head.size === head.size);
    if (head.size === request.expected.size && request.expected.matches(head) && asBefore) return download;
    await close(download);
    throw new VersionChanged(request.key, head);
  }

  async #accept(
    download: Download,
    request: Transfer,
    progress: RangeProgress,
    sink: RangeSink,
  ): Promise<void> {
    if (progress.head === null) {
      progress.head = download.head;
      if (holdsWhole(download)) {
        progress.target = download.range;
        progress.next = 0;
      }
      await orClose(download, async () => sink.begin(progress.target, download.head));
    }
    const until = Math.min(download.range.end, progress.target.end);
    if (download.range.start > progress.next || (until <= progress.next && until < progress.target.end)) {
      await close(download);
      throw refusal('malformed', 'the answer holds other bytes than asked for', request.key);
    }
    let position = download.range.start;
    for await (const data of this.#bodyOf(download, request, progress)) {
      if (request.signal?.aborted === true) throw aborted(request.key);
      const wanted = data.subarray(Math.max(0, progress.next - position), Math.max(0, until - position));
      position += data.length;
      if (wanted.length > 0) {
        await sink.chunk(wanted, progress.next);
        progress.next += wanted.length;
      }
      noteArrival(data.length, request.key, progress);
      // Reading to the end keeps the connection; leaving early is for bodies that hold more than is wanted.
      if (progress.next >= until && download.range.end > until) break;
    }
    if (progress.next < until) throw refusal('unavailable', 'the body ended early', request.key);
    if (!holdsWhole(download)) this.#trust.proved();
  }

  /** One that announces no length may be anything, even the whole file, whatever others before it were. */
  #bodyOf(download: Download, request: Transfer, progress: RangeProgress): AsyncIterable<Uint8Array> {
    if (download.isUncounted !== true) return download.body;
    return onceComplete(download, (bytes) => {
      noteArrival(bytes, request.key, progress);
    });
  }

  /** Resolves when another answer may be asked for; rejects with `error` when not. */
  async #waitToResume(
    error: unknown,
    request: Transfer,
    progress: RangeProgress,
    delivered: number,
  ): Promise<void> {
    if (!isRefusal(error, 'unavailable', 'timeout')) throw error;
    const pause = progress.noteCut(delivered);
    if (pause === null) throw error;
    const fields = { key: request.key, position: progress.next, reason: describeError(error) };
    this.#log.debug('a body was cut; going on from there', fields);
    const sleep = (): Promise<void> => this.#clock.sleep(pause, request.signal);
    try {
      await (request.pausing?.(sleep) ?? sleep());
    } catch (reason) {
      throw request.signal?.aborted === true ? aborted(request.key) : reason;
    }
  }
}

function holdsWhole(download: Download): boolean {
  return download.range.start === 0 && download.range.end === download.head.size;
}

/** Gives the connection of a body that nobody reads back. */
async function close(download: Download): Promise<void> {
  await download.body[Symbol.asyncIterator]().return?.();
}

async function orClose(download: Download, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    await close(download);
    throw error;
  }
}

function aborted(key: string): Refusal {
  return refusal('aborted', 'no longer wanted', key);
}

function refusal(kind: RefusalKind, reason: string, key: string): Refusal {
  return new Refusal(kind, reason, { operation: 'getObject', subject: key });
}
