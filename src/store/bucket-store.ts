/**
 * How does one talk to one bucket? The port with the bucket filled in and each kind of request behind its gate; and the two
 * things the service has no request for: all pages of a folder, and a replacement that keeps its visibility.
 */
import { createHash } from 'node:crypto';
import { Refusal, isRefusal } from '../service/refusal.ts';
import type { CallOptions, ListObjectsQuery, ObjectService, UploadBody } from '../service/object-service.ts';
import type {
  LinkRecord,
  ObjectHead,
  ObjectPage,
  StoredObject,
  Visibility,
  VisibilityRecord,
} from '../service/records.ts';
import { LIST_OBJECTS_MAX_LIMIT } from '../service/limits.ts';
import type { Gates } from './gates.ts';
import { LateUploads } from './late-uploads.ts';

/** A bookmark can go stale (§4.11) as often as somebody makes it; a listing that restarts for ever helps nobody. */
const MAX_RESTARTS = 5;
/** An empty page may be followed by more (§4.11 rule 6); a service that sends this many in a row without news never ends. */
const MAX_VAIN_PAGES = 1000;

/** One bucket. Every method rejects with a `Refusal` and with nothing else. */
export class BucketStore {
  /** Uploads whose end nobody knows. Filled and looked at by replace.ts and lasting-change.ts. */
  readonly late = new LateUploads();
  readonly #service: ObjectService;
  readonly #bucket: string;
  readonly #gates: Gates;

  constructor(service: ObjectService, bucket: string, gates: Gates) {
    this.#service = service;
    this.#bucket = bucket;
    this.#gates = gates;
  }

  head(key: string, options?: CallOptions): Promise<ObjectHead> {
    return this.#gates.metadata(() => this.#service.headObject(this.#bucket, key, options));
  }

  /** What the headers and the bytes of the file under `key` are, MD5 in lower-case hexadecimal. Downloads all of it. */
  digest(key: string): Promise<{ readonly head: ObjectHead; readonly md5: string }> {
    return this.#gates.reads(async () => {
      const { head, body } = await this.#service.getObject(this.#bucket, key);
      const hash = createHash('md5');
      for await (const data of body) hash.update(data);
      return { head, md5: hash.digest('hex') };
    });
  }

  remove(key: string): Promise<void> {
    return this.#gates.metadata(() => this.#service.deleteObject(this.#bucket, key));
  }

  createFolder(folder: string): Promise<void> {
    return this.#gates.metadata(() => this.#service.createFolder(this.#bucket, folder));
  }

  visibility(key: string, options?: CallOptions): Promise<VisibilityRecord> {
    return this.#gates.metadata(() => this.#service.getVisibility(this.#bucket, key, options));
  }

  setVisibility(key: string, visibility: Visibility): Promise<VisibilityRecord> {
    return this.#gates.metadata(() => this.#service.setVisibility(this.#bucket, key, visibility));
  }

  link(key: string, options?: CallOptions): Promise<LinkRecord> {
    return this.#gates.metadata(() => this.#service.getLink(this.#bucket, key, options));
  }

  put(key: string, body: UploadBody): Promise<StoredObject> {
    return this.#gates.uploads(() => this.#service.putObject(this.#bucket, key, body));
  }

  /**
   * Pages of `folder` until one that is accepted as enough, or the last. `first` stands for a first page that is already
   * there. When a bookmark goes stale the walk begins anew, and `restarted` is called before the new first page.
   * Rejects with `malformed` when the service never ends, and with `aborted` when the signal says so.
   */
  async *pages(
    folder: string,
    first: ObjectPage | undefined,
    restarted: () => void,
    options?: CallOptions,
  ): AsyncGenerator<ObjectPage> {
    for (let restarts = 0; ; restarts += 1) {
      try {
        yield* this.#walk(folder, restarts === 0 ? first : undefined, options);
        return;
      } catch (error) {
        if (!isRefusal(error, 'stale-bookmark') || restarts >= MAX_RESTARTS) throw error;
        restarted();
      }
    }
  }

  async *#walk(
    folder: string,
    first: ObjectPage | undefined,
    options: CallOptions | undefined,
  ): AsyncGenerator<ObjectPage> {
    const bookmarks = new Set<string>();
    const firstEntries = new Set<string>();
    let vainPages = 0;
    let page = first ?? (await this.#page({ folder, ...options }));
    for (;;) {
      yield page;
      if (page.nextPage === null) return;
      const firstEntry = page.folders[0] ?? page.objects[0]?.key;
      const isVain = firstEntry === undefined || firstEntries.has(firstEntry);
      vainPages = isVain ? vainPages + 1 : 0;
      if (bookmarks.has(page.nextPage) || vainPages > MAX_VAIN_PAGES) {
        throw new Refusal('malformed', 'the listing never ends', {
          operation: 'listObjects',
          subject: folder,
        });
      }
      bookmarks.add(page.nextPage);
      if (firstEntry !== undefined) firstEntries.add(firstEntry);
      page = await this.#page({ folder, page: page.nextPage, ...options });
    }
  }

  /** One page, as large as there are. */
  #page(query: ListObjectsQuery): Promise<ObjectPage> {
    return this.#gates.metadata(() =>
      this.#service.listObjects(this.#bucket, { limit: LIST_OBJECTS_MAX_LIMIT, ...query }),
    );
  }
}
