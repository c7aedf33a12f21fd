/** How does a test get a proxy? One that opens tunnels (CONNECT) and nothing else, and remembers what it was asked. */
import type http from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { KeyPair } from './certificates.ts';
import { openHttpServer } from './http-server.ts';

export interface Asked {
  readonly authority: string;
  readonly credentials: string | undefined;
}

/** Ends with the test. */
export class ConnectProxy {
  readonly asked: Asked[] = [];
  readonly port: number;
  /** Instead of a tunnel: a status, or no answer at all. */
  refusal: number | 'silence' | null = null;
  /** To connect to instead of where it is asked for, since no test has names of its own. */
  target: { readonly host: string; readonly port: number } | null = null;
  readonly #tunnels = new Set<Socket>();

  private constructor(server: http.Server) {
    this.port = (server.address() as AddressInfo).port;
    server.on('connect', (request: http.IncomingMessage, socket: Socket) => {
      this.#take(request, socket);
    });
    onTestFinished(() => {
      this.cut();
    });
  }

  /** Speaks TLS with `pair`, if that is given. */
  static async open(pair?: KeyPair): Promise<ConnectProxy> {
    return new ConnectProxy(await openHttpServer(pair));
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get open(): number {
    return this.#tunnels.size;
  }

  /** Ends all tunnels. */
  cut(): void {
    for (const socket of this.#tunnels) socket.destroy();
  }

  #take({ url: authority = '', headers }: http.IncomingMessage, socket: Socket): void {
    this.asked.push({ authority, credentials: headers['proxy-authorization'] });
    this.#keep(socket);
    // A server of HTTP lets a connection be open for one side alone.
    socket.on('end', () => socket.end()).resume();
    if (this.refusal === 'silence') return;
    if (this.refusal !== null) {
      // It would take another request over the same connection.
      socket.write(`HTTP/1.1 ${this.refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(authority) ?? [];
    const onward = connect(this.target ?? { host, port: Number(port) });
    this.#keep(onward);
    onward.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  }

  #keep(socket: Socket): void {
    this.#tunnels.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#tunnels.delete(socket));
  }
}
