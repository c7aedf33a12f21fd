/** How fast can it be at best? The same requests with nothing but an HTTP client, so many at a time, over the same network. */
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Pool, type Dispatcher } from 'undici';
import type { ByteRange } from '../../src/base/byte-range.ts';
import { routes } from '../../src/service/routes.ts';
import type { ObjectListDocument } from '../../src/service/wire.ts';
import type { BucketAddress } from '../mounts/subjects.ts';

/** One folder, all pages. */
export interface FloorListing {
  /** Sizes by key. */
  readonly files: ReadonlyMap<string, number>;
  /** Keys, with a slash at the end. */
  readonly folders: readonly string[];
}

const LIMIT_MS = 600_000;
const PAGE_LIMIT = 1000;

/** Requests to the service, never more at a time than it has connections. To be closed. */
export class HttpFloor {
  /** Requests at a time. */
  readonly width: number;
  readonly #pool: Pool;
  readonly #bucket: string;
  readonly #authorization: string;

  constructor(address: BucketAddress, width: number) {
    this.width = width;
    this.#bucket = address.bucket;
    const pair = `${address.accessKeyId}:${address.secretAccessKey}`;
    this.#authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    const timeouts = { headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS };
    this.#pool = new Pool(`http://127.0.0.1:${address.servicePort}`, {
      connections: width,
      pipelining: 1,
      ...timeouts,
    });
  }

  /** `width` at a time, in order. */
  async each<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
    const rest = items.values();
    const work = async (): Promise<void> => {
      for (const item of rest) await act(item);
    };
    await Promise.all(Array.from({ length: this.width }, work));
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#ask('PUT', key, { body: bytes });
  }

  /** The file at `source`, which has `size` bytes. */
  async putFile(key: string, source: string, size: number): Promise<void> {
    const body = createReadStream(source, { highWaterMark: 256 * 1024 });
    await this.#ask('PUT', key, { body, headers: { 'content-length': String(size) } });
  }

  async delete(key: string): Promise<void> {
    await this.#ask('DELETE', key, {});
  }

  /** Its pages, one after the other. Ends with a slash, or empty. */
  async list(folder: string): Promise<FloorListing> {
    const files = new Map<string, number>();
    const folders: string[] = [];
    const query = `limit=${PAGE_LIMIT}&folder=${encodeURIComponent(folder.replace(/\/$/, ''))}`;
    for (let page: string | null = ''; page !== null;) {
      const from: string = page === '' ? '' : `&page=${encodeURIComponent(page)}`;
      const path = `${routes.listing(this.#bucket)}?${query}${from}`;
      const answer = await this.#request({ method: 'GET', path });
      const document = (await answer.body.json()) as ObjectListDocument;
      for (const { key, size } of document.objects ?? []) files.set(key, size);
      folders.push(...(document.folders ?? []));
      page = document.next_page;
    }
    return { files, folders };
  }

  /** The whole file, or a range of it. `take` gets every byte, with its position in the file. */
  async get(
    key: string,
    range: ByteRange | undefined,
    take: (bytes: Buffer, position: number) => void,
  ): Promise<void> {
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
    const answer = await this.#request({ method: 'GET', path: routes.object(this.#bucket, key), headers });
    let position = range?.start ?? 0;
    answer.body.on('data', (bytes: Buffer) => {
      take(bytes, position);
      position += bytes.length;
    });
    await finished(answer.body);
    if (range !== undefined && position !== range.end)
      throw new Error(`GET ${key}: ${position} of ${range.end}`);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #ask(method: 'PUT' | 'DELETE', key: string, rest: Partial<Asked>): Promise<void> {
    const answer = await this.#request({ method, path: routes.object(this.#bucket, key), ...rest });
    await answer.body.dump();
  }

  /** Rejects unless it succeeds. */
  async #request({ headers, body = null, ...asked }: Asked): Promise<Dispatcher.ResponseData> {
    const answer = await this.#pool.request({
      ...asked,
      body,
      headers: { authorization: this.#authorization, ...headers },
    });
    if (answer.statusCode < 300) return answer;
    await answer.body.dump();
    throw new Error(`${asked.method} ${asked.path}: ${answer.statusCode}`);
  }
}

interface Asked {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Dispatcher.DispatchOptions['body'];
  readonly headers?: Record<string, string> | undefined;
}
