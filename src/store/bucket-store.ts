/**
 * How does one talk to one bucket? The port with the bucket filled in and each kind of request behind its gate; and the two
 * things the service has no request for: all pages of a folder, and a replacement that keeps its visibility.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal, isRefusal, whenSent, type Operation } from '../service/refusal.ts';
import type { CallOptions, ListObjectsQuery, ObjectService, UploadBody } from '../service/object-service.ts';
import type {
  DeletedObject,
  LinkRecord,
  ObjectHead,
  ObjectPage,
  StoredObject,
  Visibility,
  VisibilityRecord,
} from '../service/records.ts';
import { LIST_OBJECTS_MAX_LIMIT } from '../service/limits.ts';
import { digestOf, type StoredDigest } from './digest.ts';
import { EtagKind } from './etag-kind.ts';
import type { Gates } from './gates.ts';
import { LateRequests } from './late-requests.ts';
import { PageProgress } from './page-progress.ts';

/** A bookmark can go stale (§4.11) as often as somebody makes it; a listing that restarts for ever helps nobody. */
const MAX_RESTARTS = 5;
/** How often a body may be cut before the service is believed always to do that. */
const MAX_CUTS = 5;

/** How a folder's pages are walked. */
export interface PageWalk {
  /** A first page that is already there. */
  readonly first?: ObjectPage | undefined;
  /** Called before the new first page when a bookmark went stale. */
  readonly restarted?: () => void;
  /** Asked with each page, whether the next one is wanted for certain: then its request leaves at once. When absent: nobody knows. */
  readonly goesOn?: (() => boolean) | undefined;
}

/** One bucket. Every method rejects with a `Refusal` and with nothing else. */
export class BucketStore {
  /** Requests whose end nobody knows. Filled and looked at by replace.ts, lasting-change.ts and lasting-visibility.ts. */
  readonly late = new LateRequests();
  /** Filled by own-upload.ts. */
  readonly etags = new EtagKind();
  readonly #service: ObjectService;
  readonly #bucket: string;
  readonly #gates: Gates;

  constructor(service: ObjectService, bucket: string, gates: Gates) {
    this.#service = service;
    this.#bucket = bucket;
    this.#gates = gates;
  }

  /** Whether what was seen of the bucket, however lately, may be from before a sleep (gates.ts). */
  get hasJustWoken(): boolean {
    return this.#gates.hasJustWoken();
  }

  head(key: string, options?: CallOptions): Promise<ObjectHead> {
    return this.#gates.metadata((pausing) =>
      this.#service.headObject(this.#bucket, key, { ...options, pausing }),
    );
  }

  /**
   * What the headers and the bytes of the file under `key` are, MD5 in lower-case hexadecimal. Downloads all of it; again, from its
   * first byte, where the body is cut. Rejects with `timeout` when its bytes only drip.
   */
  digest(key: string, options?: CallOptions): Promise<StoredDigest> {
    return this.#gates.reads(async (pausing) => {
      for (let cuts = 0; ; cuts += 1) {
        const download = await this.#service.getObject(this.#bucket, key, { ...options, pausing });
        try {
          return await digestOf(download, key, this.#gates.clock);
        } catch (error) {
          if (cuts >= MAX_CUTS || !isRefusal(error, 'unavailable')) throw error;
        }
      }
    });
  }

  remove(key: string, options?: CallOptions): Promise<DeletedObject> {
    return this.#gates.metadata(async (pausing) => {
      await this.#onWaking('deleteObject', key, { ...options, pausing });
      return this.#service.deleteObject(this.#bucket, key, { ...options, pausing });
    });
  }

  createFolder(folder: string): Promise<void> {
    return this.#gates.metadata((pausing) => this.#service.createFolder(this.#bucket, folder, { pausing }));
  }

  visibility(key: string, options?: CallOptions): Promise<VisibilityRecord> {
    return this.#gates.metadata((pausing) =>
      this.#service.getVisibility(this.#bucket, key, { ...options, pausing }),
    );
  }

  setVisibility(key: string, visibility: Visibility, options?: CallOptions): Promise<VisibilityRecord> {
    return this.#gates.metadata(async (pausing) => {
      await this.#onWaking('setVisibility', key, { ...options, pausing });
      return this.#service.setVisibility(this.#bucket, key, visibility, { ...options, pausing });
    });
  }

  link(key: string, options?: CallOptions): Promise<LinkRecord> {
    return this.#gates.metadata((pausing) =>
      this.#service.getLink(this.#bucket, key, { ...options, pausing }),
    );
  }

  /** Also one that waits for its turn ends with the signal; and when its turn has come after a wait, or a sleep, if it is not `isStillMeant`. */
  put(key: string, body: UploadBody, options: CallOptions = {}): Promise<StoredObject> {
    const { signal, isStillMeant } = options;
    let hasBegun = false;
    const stored = this.#gates.uploads(async (pausing, hasWaited) => {
      const mayBeOld = hasWaited === true || this.hasJustWoken;
      const isMeant = !mayBeOld || (await askFirst(isStillMeant));
      if (signal?.aborted === true || !isMeant) throw stoppedBefore(key);
      hasBegun = true;
      return this.#service.putObject(this.#bucket, key, body, { ...options, pausing });
    });
    if (signal === undefined) return stored;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        if (!hasBegun) reject(stoppedBefore(key));
      };
      signal.addEventListener('abort', stop, { once: true });
      stored.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', stop);
      });
    });
  }

  /**
   * Pages of `folder` until one that is accepted as enough, or the last. When a bookmark goes stale, or a later page is missing, the walk begins anew.
   * Rejects with `malformed` when the service never ends, and with `aborted` when the signal says so.
   */
  async *pages(folder: string, walk: PageWalk = {}, options?: CallOptions): AsyncGenerator<ObjectPage> {
    let { first } = walk;
    for (let restarts = 0; ; restarts += 1) {
      try {
        yield* this.#walk(folder, { ...walk, first }, options);
        return;
      } catch (error) {
        if (!isRefusal(error, 'stale-bookmark') || restarts >= MAX_RESTARTS) throw error;
        walk.restarted?.();
        first = undefined;
      }
    }
  }

  async *#walk(
    folder: string,
    { first, goesOn }: PageWalk,
    options: CallOptions | undefined,
  ): AsyncGenerator<ObjectPage> {
    const progress = new PageProgress();
    // Also of a page that is already there whoever wants more may say so only by now.
    let page = await (first ?? this.#page({ folder, ...options }));
    for (;;) {
      const { nextPage } = page;
      const isStuck = progress.isStuckAt(page);
      const next = (bookmark: string) =>
        this.#page({ folder, page: bookmark, ...options }).catch(asStaleBookmark);
      // Before the page is handed on: what is done with it need not leave the line idle.
      const coming = nextPage !== null && !isStuck && goesOn?.() === true ? next(nextPage) : null;
      // Whoever takes no further page does not hear what became of it.
      coming?.catch(() => undefined);
      if (coming !== null) await departure();
      yield page;
      if (nextPage === null) return;
      if (isStuck) {
        throw new Refusal('malformed', 'the listing never ends', {
          operation: 'listObjects',
          subject: folder,
        });
      }
      page = await (coming ?? next(nextPage));
    }
  }

  /** Whoever decided on a change before the process slept looks again. Rejects when it is not meant any more, or with the refusal of the look. */
  async #onWaking(operation: Operation, key: string, { pausing, isStillMeant }: CallOptions): Promise<void> {
    if (isStillMeant === undefined || !this.hasJustWoken) return;
    const ask = async (): Promise<void> => {
      if (await askFirst(isStillMeant)) return;
      const reason = 'others have changed the file while this process, or its machine, slept';
      throw new Refusal('unavailable', reason, { operation, subject: key, neverSent: true });
    };
    // The look needs a place of the same gate.
    await (pausing === undefined ? ask() : pausing(ask));
  }

  /** One page, as large as there are. */
  #page(query: ListObjectsQuery): Promise<ObjectPage> {
    return this.#gates.metadata((pausing) =>
      this.#service.listObjects(this.#bucket, { limit: LIST_OBJECTS_MAX_LIMIT, ...query, pausing }),
    );
  }
}

/** A page has been there: that another is not says nothing of what is in the folder, and only a walk from the first tells. */
function asStaleBookmark(error: unknown): never {
  if (!isRefusal(error, 'missing')) throw error;
  const { operation, status, subject } = error;
  throw new Refusal('stale-bookmark', 'the next page of the listing is missing', {
    operation,
    status,
    subject,
  });
}

/** Rejects with the refusal of a look: of the change nothing was sent. */
async function askFirst(isStillMeant: CallOptions['isStillMeant']): Promise<boolean> {
  try {
    return (await isStillMeant?.()) ?? true;
  } catch (error) {
    throw isRefusal(error) ? whenSent(error, false) : error;
  }
}

function stoppedBefore(key: string): Refusal {
  const details = { operation: 'putObject', subject: key, neverSent: true } as const;
  return new Refusal('aborted', 'given up before it began', details);
}

/**
 * When a request that was just made has left: HTTP clients look at a kept connection for one turn of the event loop before they use
 * it again, and the turn before that may not be over. Whoever holds the loop up meanwhile holds the request up.
 */
async function departure(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
