/** How fast can it be at best? The same requests with nothing but an HTTP client, so many at a time, over the same network. */
import { createReadStream } from 'node:fs';
import { Pool, type Dispatcher } from 'undici';
import type { BucketAddress } from '../mounts/subjects.ts';

const LIMIT_MS = 600_000;

/** Requests to the service, never more at a time than it has connections. To be closed. */
export class HttpFloor {
  readonly #pool: Pool;
  readonly #width: number;
  readonly #bucket: string;
  readonly #authorization: string;

  /** `width`: requests at a time. */
  constructor(address: BucketAddress, width: number) {
    this.#width = width;
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
    await Promise.all(Array.from({ length: this.#width }, work));
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

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #ask(
    method: 'PUT' | 'DELETE',
    key: string,
    {
      body = null,
      headers = {},
    }: { body?: Dispatcher.DispatchOptions['body']; headers?: Record<string, string> },
  ): Promise<void> {
    const path = `/${[this.#bucket, ...key.split('/')].map(encodeURIComponent).join('/')}`;
    const answer = await this.#pool.request({
      method,
      path,
      body,
      headers: { authorization: this.#authorization, ...headers },
    });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`${method} ${key}: ${answer.statusCode}`);
  }
}
