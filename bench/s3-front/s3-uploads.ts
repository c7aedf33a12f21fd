/** How do parts become an object? They wait in memory; completing stores them as one. */
import type { UploadBody } from '../../src/service/object-service.ts';
import { textsOf } from './xml.ts';

interface Upload {
  readonly contentType: string | undefined;
  readonly metadata: Metadata;
  readonly parts: Map<number, Buffer>;
}

/** The headers `x-amz-meta-…`, which the service below has no place for. */
export type Metadata = Readonly<Record<string, string>>;

/** Those that are under way. */
export class S3Uploads {
  readonly #uploads = new Map<string, Upload>();
  #lastId = 0;

  /** Its id. */
  begin(contentType: string | undefined, metadata: Metadata): string {
    this.#lastId += 1;
    const id = `upload-${this.#lastId}`;
    this.#uploads.set(id, { contentType, metadata, parts: new Map() });
    return id;
  }

  /** False when there is no such upload. */
  keep(id: string, part: number, bytes: Buffer): boolean {
    return this.#uploads.get(id)?.parts.set(part, bytes) !== undefined;
  }

  /** What the parts named in `xml` come to; undefined when there is no such upload or part. */
  body(id: string, xml: string): { body: UploadBody; metadata: Metadata } | undefined {
    const upload = this.#uploads.get(id);
    const parts = textsOf(xml, 'PartNumber').map((number) => upload?.parts.get(Number(number)));
    if (upload === undefined || parts.length === 0) return undefined;
    const whole = parts.filter((part) => part !== undefined);
    if (whole.length < parts.length) return undefined;
    const size = whole.reduce((sum, { length }) => sum + length, 0);
    const body = { size, contentType: upload.contentType, open: () => yieldAll(whole) };
    return { body, metadata: upload.metadata };
  }

  end(id: string): void {
    this.#uploads.delete(id);
  }
}

async function* yieldAll(parts: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}
