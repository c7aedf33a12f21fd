/**
 * How does a test decide when a request leaves, when the service answers it, and when the answer arrives? A bucket whose every
 * request waits twice for a scheduler. What the bucket holds changes between the two, at one moment; its history is kept.
 */
import type { Download, ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type * as records from '../../src/service/records.ts';
import { Refusal, type Operation } from '../../src/service/refusal.ts';

/** `missing`, `folder`, or `file` and its ETag. */
export type NameState = 'missing' | 'folder' | `file ${string}`;

export interface Moment {
  readonly state: NameState;
  /** The number of the moment from which on it was so. */
  readonly from: number;
}

const MODIFIED = new Date(Date.UTC(2026, 0, 1));

/** Decides when what happens; fast-check's is one. */
export interface Scheduler {
  schedule(task: Promise<unknown>, label: string): Promise<unknown>;
}

export class ScheduledBucket implements ObjectService {
  readonly #scheduler: Scheduler;
  readonly #pageSize: number;
  /** By path. */
  readonly #histories = new Map<string, Moment[]>();
  /** By path: when the first page of a folder was asked for last, and whether one of that walk may still be to come. */
  readonly #walks = new Map<string, { readonly began: number; isUnderWay: boolean }>();
  #now = 0;

  constructor(scheduler: Scheduler, pageSize: number) {
    this.#scheduler = scheduler;
    this.#pageSize = pageSize;
  }

  /** The number of the last moment: it goes up with every change and every `mark`. */
  get now(): number {
    return this.#now;
  }

  mark(): number {
    this.#now += 1;
    return this.#now;
  }

  /** When a walk of `folder` began last: its number then, if it `isUnderWay`, or else of any. Undefined: none did. */
  walkBegan(folder: string, isUnderWay = false): number | undefined {
    const walk = this.#walks.get(folder);
    return walk === undefined || (isUnderWay && !walk.isUnderWay) ? undefined : walk.began;
  }

  state(path: string): NameState {
    return this.#histories.get(path)?.at(-1)?.state ?? 'missing';
  }

  /** Every state in which `path` was at some moment of [since, now]. */
  statesSince(path: string, since: number): NameState[] {
    const history: readonly Moment[] = [{ state: 'missing', from: 0 }, ...(this.#histories.get(path) ?? [])];
    return history
      .filter((_, index) => (history[index + 1]?.from ?? Infinity) > since)
      .map(({ state }) => state);
  }

  hasEntries(folder: string): boolean {
    return this.#existing().some((path) => path.startsWith(`${folder}/`));
  }

  /** A request that changes `path` to `state`. Resolves, with the moment of the change, when its answer has arrived. */
  async change(path: string, state: NameState): Promise<void> {
    await this.#request(`change ${path} to ${state}`, () => {
      const history = this.#histories.get(path) ?? [];
      history.push({ state, from: this.mark() });
      this.#histories.set(path, history);
    });
  }

  headObject(_bucket: string, key: string): Promise<records.ObjectHead> {
    return this.#request(`head ${key}`, () => {
      const state = this.state(`/${key}`);
      if (!state.startsWith('file'))
        throw new Refusal('missing', 'no such file', { operation: 'headObject', subject: key });
      return { ...factsOf(state), lastModified: MODIFIED, contentType: null };
    });
  }

  async listObjects(bucket: string, query: ListObjectsQuery): Promise<records.ObjectPage> {
    const path = `/${query.folder}`;
    if (query.page === undefined) this.#walks.set(path, { began: this.mark(), isUnderWay: true });
    const walk = this.#walks.get(path);
    const page = await this.#page(bucket, query);
    if (page.nextPage === null && walk !== undefined) walk.isUnderWay = false;
    return page;
  }

  #page(bucket: string, query: ListObjectsQuery): Promise<records.ObjectPage> {
    return this.#request(`list ${query.folder} from ${query.page ?? 'the start'}`, () => {
      const prefix = query.folder === '' ? '/' : `/${query.folder}/`;
      const after = this.#existing()
        .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))
        .filter((path) => query.page === undefined || path > query.page);
      const page = after.slice(0, this.#pageSize);
      const files = page.filter((path) => this.state(path) !== 'folder');
      return {
        bucket,
        folder: query.folder,
        folders: page.filter((path) => this.state(path) === 'folder').map((path) => `${path.slice(1)}/`),
        objects: files.map((path) => ({
          key: path.slice(1),
          ...factsOf(this.state(path)),
          lastModified: MODIFIED,
        })),
        skipped: 0,
        nextPage: after.length > page.length ? (page.at(-1) ?? null) : null,
      };
    });
  }

  listBuckets(): Promise<records.BucketPage> {
    return unsupported('listBuckets');
  }
  createBucket(): Promise<records.Bucket> {
    return unsupported('createBucket');
  }
  getBucket(): Promise<records.Bucket> {
    return unsupported('getBucket');
  }
  deleteBucket(): Promise<void> {
    return unsupported('deleteBucket');
  }
  createFolder(): Promise<void> {
    return unsupported('createFolder');
  }
  putObject(): Promise<records.StoredObject> {
    return unsupported('putObject');
  }
  getObject(): Promise<Download> {
    return unsupported('getObject');
  }
  deleteObject(): Promise<records.DeletedObject> {
    return unsupported('deleteObject');
  }
  getVisibility(): Promise<records.VisibilityRecord> {
    return unsupported('getVisibility');
  }
  setVisibility(): Promise<records.VisibilityRecord> {
    return unsupported('setVisibility');
  }
  getLink(): Promise<records.LinkRecord> {
    return unsupported('getLink');
  }

  #existing(): string[] {
    return [...this.#histories.keys()].filter((path) => this.state(path) !== 'missing').sort();
  }

  async #request<Answer>(label: string, serve: () => Answer): Promise<Answer> {
    await this.#scheduler.schedule(Promise.resolve(), `${label}: reaches the service`);
    const answer = attempt(serve);
    await this.#scheduler.schedule(Promise.resolve(), `${label}: its answer arrives`);
    return answer();
  }
}

/** What `serve` returns or throws now, told later. */
function attempt<Answer>(serve: () => Answer): () => Answer {
  try {
    const answer = serve();
    return () => answer;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function factsOf(state: NameState): { readonly size: number; readonly etag: string } {
  return { size: 1, etag: state.slice('file '.length) };
}

function unsupported(operation: Operation): Promise<never> {
  return Promise.reject(new Refusal('rejected', 'not part of this test', { operation }));
}
