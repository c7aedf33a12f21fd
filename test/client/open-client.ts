/** A client of a server that speaks bytes, on a clock that only the test moves. */
import { onTestFinished } from 'vitest';
import { HttpService } from '../../src/client/http-service.ts';
import type { HttpServiceOptions } from '../../src/client/open-exchange.ts';
import type { Log, LogFields } from '../../src/base/log.ts';
import type { UploadBody } from '../../src/service/object-service.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RawServer } from '../support/raw-server.ts';
import type { Answering } from '../support/raw-server.ts';

export const CREDENTIALS = { accessKeyId: 'AKID', secretAccessKey: 's3cr3t/+ü' };

export class RecordingLog implements Log {
  readonly lines: { readonly message: string; readonly fields: LogFields | undefined }[] = [];
  readonly #line = (message: string, fields?: LogFields): void => {
    this.lines.push({ message, fields });
  };
  readonly debug = this.#line;
  readonly info = this.#line;
  readonly warn = this.#line;
  readonly error = this.#line;
}

export interface Setting {
  readonly service: HttpService;
  readonly server: RawServer;
  readonly clock: ManualClock;
  readonly log: RecordingLog;
}

/** Ends with the test. `random` is 0, so that waits are the longest ones. */
export async function openClient(
  answers: readonly Answering[],
  options: Partial<HttpServiceOptions> = {},
  prefix = '',
): Promise<Setting> {
  const server = await RawServer.open(...answers);
  const clock = new ManualClock();
  const log = new RecordingLog();
  const service = HttpService.open({
    baseUrl: server.baseUrl + prefix,
    credentials: CREDENTIALS,
    clock,
    log,
    random: () => 0,
    ...options,
  });
  onTestFinished(async () => {
    await service.close();
    await server.close();
  });
  return { service, server, clock, log };
}

export function textBody(text: string, contentType?: string): UploadBody {
  const bytes = Buffer.from(text, 'utf8');
  return piecesBody([bytes], bytes.byteLength, contentType);
}

/** Yields `pieces`, whatever `size` announces. */
export function piecesBody(pieces: readonly Uint8Array[], size: number, contentType?: string): UploadBody {
  return {
    size,
    contentType,
    async *open() {
      for (const piece of pieces) yield await Promise.resolve(piece);
    },
  };
}

/** Has more and more bytes until it is closed. */
export function endlessBody(): { readonly endless: UploadBody; readonly isClosed: () => boolean } {
  let closed = false;
  const endless = {
    size: 100_000_000,
    async *open(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield await Promise.resolve(Buffer.alloc(65_536));
      } finally {
        closed = true;
      }
    },
  };
  return { endless, isClosed: () => closed };
}

/** The refusal that `promise` rejects with; fails when it does anything else. */
export async function refusalFrom(promise: Promise<unknown>): Promise<Refusal> {
  const outcome = await promise.then(
    () => 'a result',
    (error: unknown) => error,
  );
  if (outcome instanceof Refusal) return outcome;
  throw new Error(`expected a refusal, found ${String(outcome)}`, { cause: outcome });
}

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

/** Lets the network and the event loop do what they have to do, until `condition` holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}
