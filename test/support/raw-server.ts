/**
 * A service that speaks bytes: what the client really sent, and answers that no HTTP library would let pass.
 *
 * Requests are answered in the order they arrive, by the scripts given; each script writes to the socket itself.
 */
import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface RawRequest {
  readonly method: string;
  /** Exactly as sent. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What had arrived when the script was started: all of it, unless the script is `early`. */
  readonly body: Buffer;
}

export interface Script {
  /** Answer as soon as the head has arrived. */
  readonly early?: boolean;
  readonly play: (socket: Socket, request: RawRequest) => void | Promise<void>;
}

export type Answering = Script | string;

export class RawServer {
  readonly requests: RawRequest[] = [];
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  readonly #scripts: Answering[];
  readonly #onRequest: (() => void)[] = [];
  #last: Answering = reply('500 No Script');
  connections = 0;

  private constructor(scripts: readonly Answering[]) {
    this.#scripts = [...scripts];
    this.#server = net.createServer((socket) => {
      this.#accept(socket);
    });
  }

  /** The last script answers all further requests too. */
  static async open(...scripts: readonly Answering[]): Promise<RawServer> {
    const server = new RawServer(scripts);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when `count` requests have arrived. */
  async arrived(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.#onRequest.push(resolve));
  }

  /** May be called again. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // Clients under test hang up in the middle: that is their right.
    socket.on('error', () => undefined);
    let pending: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      pending = this.#consume(socket, Buffer.concat([pending, bytes]));
    });
  }

  #consume(socket: Socket, bytes: Buffer): Buffer {
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd < 0) return bytes;
    const head = parseHead(bytes.subarray(0, headEnd).toString('latin1'));
    const bodyStart = headEnd + 4;
    const bodyEnd = bodyStart + Number(head.headers['content-length'] ?? 0);
    const script = this.#scripts[0] ?? this.#last;
    const complete = bytes.length >= bodyEnd;
    if (!complete && (typeof script === 'string' || script.early !== true)) return bytes;
    this.#last = this.#scripts.shift() ?? this.#last;
    const request = { ...head, body: bytes.subarray(bodyStart, bodyEnd) };
    this.requests.push(request);
    for (const resolve of this.#onRequest.splice(0)) resolve();
    if (typeof script === 'string') socket.write(script, 'latin1');
    else void script.play(socket, request);
    return bytes.subarray(Math.min(bodyEnd, bytes.length));
  }
}

function parseHead(text: string): Omit<RawRequest, 'body'> {
  const [start = '', ...lines] = text.split('\r\n');
  const [method = '', path = ''] = start.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { method, path, headers };
}

/** A whole answer; Content-Length is added. `body` is sent as UTF-8. */
export function reply(status: string, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const bytes = Buffer.from(body, 'utf8');
  const withLength = { 'Content-Length': String(bytes.length), ...headers };
  const lines = Object.entries(withLength).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${bytes.toString('latin1')}`;
}

export function replyJson(
  status: string,
  document: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  return reply(status, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(document));
}
