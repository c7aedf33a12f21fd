/**
 * How does one request of the port become an answer?
 *
 * The narrow waist of the client: it adds authentication, deadlines, the abort signal and retry to undici's pool, and turns
 * every failure into a `Refusal`. What the answers mean is decided above.
 */
import { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { RunningClock } from '../base/running-clock.ts';
import type { CallOptions } from '../service/object-service.ts';
import { isOfUnknownEnd, whenSent, type Refusal } from '../service/refusal.ts';
import type { Access } from './access.ts';
import { AnswerBody, type BodyListener } from './answer-body.ts';
import { Arrival } from './arrival.ts';
import { detailsOf, pathOf } from './ask.ts';
import type { Ask } from './ask.ts';
import type { BaseUrl } from './base-url.ts';
import { Connections, type ConnectionTerms, type Way } from './connections.ts';
import type { Authorization } from './credentials.ts';
import type { Deadlines } from './deadlines.ts';
import { Pace } from './pace.ts';
import { pauseFor } from './pause.ts';
import { refusalOfAnswer } from './refused-answer.ts';
import { ofDeadConnection, refusalOf } from './refusals.ts';
import { bodyOf, requireAllSent, type Progress, type RequestBody } from './request-body.ts';
import { retrying } from './retry.ts';
import type { RetryPolicy } from './retry.ts';
import type { ServiceAnswer } from './service-answer.ts';
import { SocketBuffers } from './socket-buffers.ts';
import type { Traffic } from './traffic.ts';
import { logTry } from './try-line.ts';
import { Watch } from './watch.ts';

/** What every request of one client has in common. */
export interface ExchangeSettings extends Pick<ConnectionTerms, 'tls' | 'proxy'> {
  readonly baseUrl: BaseUrl;
  readonly access: Access;
  /** Most connections at once; further requests wait for one. */
  readonly connections: number;
  readonly deadlines: Deadlines;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly traffic: Traffic;
}

/** Of one call, over all tries. */
interface Watched extends CallOptions {
  readonly watch: Watch;
}

/** Of one try. */
interface Circumstances {
  readonly watch: Watch;
  readonly progress: Progress;
  /** What the request is sent under, whatever comes meanwhile. */
  readonly used: Authorization;
}

const USER_AGENT = 'pailfs';

/** Asks one service, over a pool of its own. Every method rejects with a `Refusal` and with nothing else. */
export class Exchange {
  readonly #settings: ExchangeSettings;
  /** For deadlines. */
  readonly #running: RunningClock;
  readonly #buffers: SocketBuffers;
  readonly #connections: Connections;
  readonly #pace: Pace;

  constructor(settings: ExchangeSettings) {
    this.#settings = settings;
    this.#running = RunningClock.of(settings.clock);
    this.#buffers = new SocketBuffers(settings.clock);
    this.#pace = new Pace(settings.clock, settings.log);
    this.#connections = new Connections({
      origin: settings.baseUrl.origin,
      most: settings.connections,
      tls: settings.tls,
      proxy: settings.proxy,
      connect: settings.deadlines.connect,
      onread: this.#buffers.options,
      running: this.#running,
    });
  }

  /** Ends all connections. Calls under way reject with `aborted`. */
  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** Rejects with a `Refusal`. What `take` makes of a 2xx answer; it must read the body to its end. */
  async run<Result>(
    ask: Ask,
    options: CallOptions | undefined,
    take: (answer: ServiceAnswer) => Promise<Result>,
  ): Promise<Result> {
    const watch = this.#watchFor(ask, options?.signal);
    try {
      return await this.#repeated(ask, { ...options, watch }, take);
    } finally {
      watch.close();
    }
  }

  /** As `run`, but the watch goes on: whoever reads the body closes it. */
  async open<Result>(
    ask: Ask,
    options: CallOptions,
    take: (answer: ServiceAnswer) => Result,
  ): Promise<Result> {
    const watch = this.#watchFor(ask, options.signal);
    try {
      return await this.#repeated(ask, { ...options, watch }, (answer) => Promise.resolve(take(answer)));
    } catch (error) {
      watch.close();
      throw error;
    }
  }

  #watchFor(ask: Ask, signal: AbortSignal | undefined): Watch {
    const { deadlines } = this.#settings;
    const watch = new Watch(this.#running, detailsOf(ask), signal);
    if (ask.upload === undefined) {
      watch.limitTotal(ask.operation === 'getObject' ? deadlines.read : deadlines.metadata);
    }
    return watch;
  }

  async #repeated<Result>(
    ask: Ask,
    { watch, pausing, isStillMeant }: Watched,
    take: (answer: ServiceAnswer) => Promise<Result>,
  ): Promise<Result> {
    const { random, log, retry, deadlines } = this.#settings;
    const clock = this.#running;
    const progress: Progress = { farthest: 0, at: clock.monotonic(), hasUnknown: false, isAllHanded: false };
    const attempt = (): Promise<Result> =>
      this.#settings.access.use(
        (used) => this.#attempt(ask, { watch, progress, used }, take),
        (others) => this.#awaitCredentials(others, watch),
      );
    // A second POST after a lost answer would refuse or create twice (§4.3).
    if (ask.operation === 'createBucket') return attempt();
    const isUpload = ask.upload !== undefined;
    const left = (): number =>
      isUpload ? progress.at + deadlines.uploadIdle - clock.monotonic() : watch.left();
    const pause = (wait: number): Promise<boolean> =>
      pauseFor(wait, { watch, progress, clock, log, pausing, isStillMeant, isUpload });
    return retrying(attempt, { policy: retry, random, log, pause, left });
  }

  async #awaitCredentials(others: Promise<boolean>, watch: Watch): Promise<boolean> {
    if (watch.refusal !== null) return false;
    watch.expect('new credentials', this.#settings.deadlines.headers);
    return watch.race(others).finally(() => {
      watch.rest();
    });
  }

  async #attempt<Result>(
    ask: Ask,
    circumstances: Circumstances,
    take: (answer: ServiceAnswer) => Promise<Result>,
  ): Promise<Result> {
    const { watch, progress } = circumstances;
    const details = detailsOf(ask);
    const { traffic, clock, deadlines } = this.#settings;
    let since = clock.monotonic();
    let body: RequestBody = null;
    let answer: ServiceAnswer | null = null;
    const arrival = new Arrival();
    try {
      if (this.#pace.isKept) since = await this.#pace.turn(watch, progress);
      body = await bodyOf(ask, { watch, progress, clock: this.#running, deadlines, traffic });
      traffic.asked();
      answer = await this.#send(ask, circumstances, body, arrival).finally(() => {
        traffic.waited();
      });
      traffic.answered();
      this.#pace.answered(answer.status, since);
      const taken = await this.#taken(ask, answer, circumstances.used, take);
      requireAllSent(ask, progress);
      logTry(this.#settings, { ask, since, answer, refusal: null });
      return taken;
    } catch (error) {
      const refusal = whenSent(refusalOf(error, details), arrival.mayBeSent || progress.hasUnknown);
      progress.hasUnknown ||= isOfUnknownEnd(refusal);
      traffic.failed(refusal, answer !== null);
      logTry(this.#settings, { ask, since, answer, refusal });
      throw refusal;
    } finally {
      watch.rest();
      if (ask.upload !== undefined) watch.liftTotal();
      if (body instanceof Readable) body.destroy();
    }
  }

  async #taken<Result>(
    ask: Ask,
    answer: ServiceAnswer,
    used: Authorization,
    take: (answer: ServiceAnswer) => Promise<Result>,
  ): Promise<Result> {
    try {
      if (!isSuccess(answer.status)) throw await refusalOfAnswer(ask, answer, used, this.#settings.clock);
      return await take(answer);
    } catch (error) {
      await answer.body.return();
      throw error;
    }
  }

  /** Resolves when the headers of the answer are here. */
  async #send(
    ask: Ask,
    circumstances: Circumstances,
    body: RequestBody,
    arrival: Arrival,
  ): Promise<ServiceAnswer> {
    const { watch, progress } = circumstances;
    const { deadlines } = this.#settings;
    const way = this.#dispatch(ask, circumstances, body, arrival);
    const { status, headers } = await arrival.beginning;
    way.answered();
    watch.rest();
    // The bytes of the answer are no progress of the upload: without this, a byte now and then would hold the call for ever.
    if (ask.upload !== undefined) watch.limitTotal(deadlines.uploadIdle);
    const listener = this.#listenerTo(ask, status);
    const details = detailsOf(ask);
    return {
      status,
      headers,
      body: new AnswerBody(arrival, watch, { idle: deadlines.bodyIdle, listener }, details),
      watch,
      followsUnknown: progress.hasUnknown,
      details,
    };
  }

  /** Hands the request to the pool. Throws when the call was given up, or for a name that no path can carry. */
  #dispatch(ask: Ask, { watch, used }: Circumstances, body: RequestBody, arrival: Arrival): Way {
    const { deadlines, baseUrl } = this.#settings;
    const path = baseUrl.prefix + pathOf(ask);
    if (watch.refusal !== null) throw watch.refusal;
    const way = this.#connections.dispatch(
      {
        method: ask.method,
        path,
        headers: {
          authorization: used.header(),
          'user-agent': USER_AGENT,
          // Lengths, ranges and ETags are those of the bytes themselves.
          'accept-encoding': 'identity',
          ...ask.headers,
        },
        body,
        // HEAD is the most frequent request of all: undici would close the connection after each.
        reset: false,
      },
      arrival,
    );
    watch.onceGivenUp((refusal) => {
      if (refusal.kind === 'timeout') way.isDead();
      arrival.stop(refusal);
    });
    if (ask.upload !== undefined) watch.expect('progress of the upload', deadlines.uploadIdle);
    // Who reads waits once; whoever opens the file anew has the service asked at once, over a new connection.
    else if (ask.operation === 'getObject') watch.expect('headers of an answer', deadlines.headers);
    else watch.expect('headers of an answer', deadlines.headers, (late) => leaveDead(way, arrival, late));
    return way;
  }

  #listenerTo(ask: Ask, status: number): BodyListener {
    const received = (bytes: number): void => {
      this.#settings.traffic.received(bytes);
    };
    // The promise is for the bytes that were asked for; the words of a refusal are gathered here.
    if (ask.isReadAtOnce !== true || !isSuccess(status)) return { received };
    const read = (piece: Uint8Array): void => {
      this.#buffers.giveBack(piece);
    };
    return { received, read };
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Ends a try that is `late`, but not its call, where a new connection may bring the answer. Returns whether it did. */
function leaveDead(way: Way, arrival: Arrival, late: Refusal): boolean {
  if (!way.isDead()) return false;
  arrival.stop(ofDeadConnection(late));
  return true;
}
