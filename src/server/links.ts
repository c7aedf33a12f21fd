/** Which address serves a file without credentials? (§2.5) Permanent ones are plain, temporary ones are signed. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { encodeKey, encodeSegment } from '../service/routes.ts';

const KEY_PAIR_ID = 'PAILFS1';

/** An address and when it stops working. */
export interface TemporaryLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Makes links and knows its own, also after a restart with the same secret. */
export class Links {
  readonly #secret: string;
  readonly #lifetime: number;
  #host: string;

  /** `lifetime` of temporary links in seconds. */
  constructor(secret: string, host: string, lifetime: number) {
    this.#secret = secret;
    this.#host = host;
    this.#lifetime = lifetime;
  }

  /** From now on links begin with `host`, e.g. `http://127.0.0.1:8080`: known only when a server listens. */
  serveFrom(host: string): void {
    this.#host = host;
  }

  permanent(bucket: string, key: string): string {
    return `${this.#host}/public/${encodeSegment(bucket)}/${encodeKey(key)}`;
  }

  /** `now` in milliseconds since 1970. */
  temporary(bucket: string, key: string, now: number): TemporaryLink {
    const expires = Math.floor(now / 1000) + this.#lifetime;
    const query = `Expires=${expires}&Signature=${this.#signature(bucket, key, String(expires))}&Key-Pair-Id=${KEY_PAIR_ID}`;
    return {
      url: `${this.#host}/private/${encodeSegment(bucket)}/${encodeKey(key)}?${query}`,
      expiresAt: new Date(expires * 1000),
    };
  }

  /** Whether the query of a temporary link was issued for this file and has not expired. */
  isValid(bucket: string, key: string, query: URLSearchParams, now: number): boolean {
    const expires = query.get('Expires') ?? '';
    const given = Buffer.from(query.get('Signature') ?? '');
    const right = Buffer.from(this.#signature(bucket, key, expires));
    const signed = given.length === right.length && timingSafeEqual(given, right);
    return signed && query.get('Key-Pair-Id') === KEY_PAIR_ID && now < Number(expires) * 1000;
  }

  #signature(bucket: string, key: string, expires: string): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify(['link', bucket, key, expires]))
      .digest('base64url');
  }
}
