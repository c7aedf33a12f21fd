/** Are the bytes of an upload left alone as long as they may still leave, and told to be needed no more after that? However slowly the service takes them. */
import { readFile } from 'node:fs/promises';
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { HttpService } from '../../src/client/http-service.ts';
import type { HttpServiceOptions } from '../../src/client/open-exchange.ts';
import type { UploadBody } from '../../src/service/object-service.ts';
import { Authority, type KeyPair } from '../support/certificates.ts';
import { ConnectProxy } from '../support/connect-proxy.ts';
import { openHttpServer } from '../support/http-server.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { CREDENTIALS } from './open-client.ts';

const PIECE = 128 * 1024;
/** More than the system has room for between two sockets. */
const COUNT = 128;

/** A service that stores what comes, but looks at no byte for a while, and then at a few at a time. */
class SlowService {
  readonly stored: Buffer[] = [];
  /** Called when the first request is here, which is not read before that is over. */
  beforeReading: () => Promise<unknown> = () => Promise.resolve();
  readonly #server: http.Server;

  private constructor(server: http.Server) {
    this.#server = server;
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
      void this.#take(request, response);
    });
  }

  static async open(pair?: KeyPair): Promise<SlowService> {
    return new SlowService(await openHttpServer(pair));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    await this.beforeReading();
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) {
      pieces.push(piece);
      await nextTurn();
    }
    const whole = Buffer.concat(pieces);
    this.stored.push(whole);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ bucket: 'b', key: 'k', size: whole.length }));
  }
}

/** Puts others in the place of bytes that are given back. */
class ReusedBody implements UploadBody {
  readonly size: number;
  readonly #pieces: readonly Uint8Array[];
  opened = 0;
  yielded = 0;
  givenBack = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
    this.size = Buffer.concat(pieces).length;
  }

  async *open(): AsyncGenerator<Uint8Array> {
    this.opened += 1;
    for (const piece of this.#pieces) {
      yield await Promise.resolve(Uint8Array.from(piece));
      this.yielded += 1;
    }
  }

  giveBack(piece: Uint8Array): void {
    this.givenBack += 1;
    piece.fill(0);
  }
}

function piecesOf(count: number, size: number): readonly Uint8Array[] {
  return Array.from({ length: count }, (_, index) => patternedBytes(size, index + 1));
}

function open(options: Pick<HttpServiceOptions, 'baseUrl' | 'tls' | 'proxy'>): HttpService {
  const service = HttpService.open({ credentials: CREDENTIALS, log: silentLog, ...options });
  onTestFinished(() => service.close());
  return service;
}

/** Resolves when the connection takes no more. */
async function untilFull(body: ReusedBody): Promise<void> {
  let before = -1;
  await expect
    .poll(
      () => {
        const isStill = body.yielded === before && before > 0;
        before = body.yielded;
        return isStill;
      },
      { interval: 200 },
    )
    .toBe(true);
}

async function ways(): Promise<
  Readonly<Record<string, Pick<HttpServiceOptions, 'baseUrl' | 'tls' | 'proxy'> & { service: SlowService }>>
> {
  const authority = await Authority.make();
  const plain = await SlowService.open();
  const secret = await SlowService.open(await authority.issue('slow', 'IP:127.0.0.1'));
  const proxy = (await ConnectProxy.open()).address;
  const tls = { ca: await readFile(authority.file, 'utf8') };
  const [http, https] = [`http://127.0.0.1:${plain.port}`, `https://127.0.0.1:${secret.port}`];
  return {
    http: { baseUrl: http, service: plain },
    https: { baseUrl: https, tls, service: secret },
    'http through a proxy': { baseUrl: http, proxy, service: plain },
    'https through a proxy': { baseUrl: https, tls, proxy, service: secret },
  };
}

it.each(['http', 'https', 'http through a proxy', 'https through a proxy'])(
  'over %s the service gets what was to be sent, though what is given back changes at once',
  async (name) => {
    const way = (await ways())[name];
    if (way === undefined) throw new Error(`there is no ${name}`);
    const { service, ...options } = way;
    const pieces = piecesOf(COUNT, PIECE);
    const body = new ReusedBody(pieces);
    service.beforeReading = () => untilFull(body);

    await open(options).putObject('b', 'k', body);

    expect(service.stored.map((bytes) => bytes.equals(Buffer.concat(pieces)))).toEqual([true]);
    // All but the last: nobody asks for more after that.
    expect(body.givenBack).toBe(COUNT - 1);
  },
);

it('a socket takes short pieces before it has sent them: they are not given back', async () => {
  const service = await SlowService.open();
  const pieces = piecesOf(400, PIECE / 4);
  const body = new ReusedBody(pieces);

  await open({ baseUrl: `http://127.0.0.1:${service.port}` }).putObject('b', 'k', body);

  expect(service.stored.map((bytes) => bytes.equals(Buffer.concat(pieces)))).toEqual([true]);
  expect(body.givenBack).toBe(0);
});

it('long pieces leave in parts, and are given back after the last of them', async () => {
  const service = await SlowService.open();
  const pieces = piecesOf(20, 8 * PIECE);
  const body = new ReusedBody(pieces);
  service.beforeReading = () => untilFull(body);

  await open({ baseUrl: `http://127.0.0.1:${service.port}` }).putObject('b', 'k', body);

  expect(service.stored.map((bytes) => bytes.equals(Buffer.concat(pieces)))).toEqual([true]);
  expect(body.givenBack).toBe(19);
});
