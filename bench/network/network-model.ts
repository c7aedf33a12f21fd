/**
 * What does a network do to requests? It stands between client and server as a TCP proxy that knows nothing of HTTP: what a
 * client sends arrives `latencyMs` later, so each request costs that once, and each direction of each connection carries at most
 * `bytesPerSecond`. A connection opens at once and nothing is lost.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Alarm } from './alarm.ts';
import { DelayedPipe } from './delayed-pipe.ts';
import type { Pace } from './line.ts';
import { Pauses } from './pauses.ts';

export interface LinkTraffic {
  /** Bytes from clients that arrived, headers included. */
  readonly up: number;
  readonly down: number;
  /** Opened since the last look. */
  readonly connections: number;
  /** How long nothing was asked, each time, between an answer and the next request: milliseconds. */
  readonly pauses: readonly number[];
}

/** One way to a server. */
export interface Link {
  readonly port: number;
  /** Since the start, or since the last call. */
  takeTraffic(): LinkTraffic;
  close(): Promise<void>;
}

/** Listens on a port of 127.0.0.1 and leads to `targetPort` there. */
export async function openLink(targetPort: number, pace: Pace): Promise<Link> {
  const link = new ProxyLink(targetPort, pace);
  await link.listen();
  return link;
}

class ProxyLink implements Link {
  readonly #targetPort: number;
  readonly #pace: Pace;
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    this.#connect(client);
  });
  readonly #sockets = new Set<Socket>();
  readonly #pipes = new Set<DelayedPipe>();
  readonly #pauses = new Pauses();
  readonly #alarm = new Alarm(() => {
    this.#deliver();
  });
  #traffic = { up: 0, down: 0, connections: 0 };

  constructor(targetPort: number, pace: Pace) {
    this.#targetPort = targetPort;
    this.#pace = pace;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  takeTraffic(): LinkTraffic {
    const taken = { ...this.#traffic, pauses: this.#pauses.take() };
    this.#traffic = { up: 0, down: 0, connections: 0 };
    return taken;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await this.#alarm.close();
  }

  #connect(client: Socket): void {
    const host = '127.0.0.1';
    const target = connect({ port: this.#targetPort, host, allowHalfOpen: true, noDelay: true });
    this.#traffic.connections += 1;
    client.on('data', () => {
      this.#pauses.asked(client);
    });
    const up = this.#pipe({ from: client, to: target }, this.#pace, (bytes) => {
      this.#traffic.up += bytes;
    });
    const down = this.#pipe({ from: target, to: client }, { ...this.#pace, latencyMs: 0 }, (bytes) => {
      this.#traffic.down += bytes;
      this.#pauses.answered(client);
    });
    this.#watch(client, target, [up, down]);
  }

  #pipe(
    ends: { readonly from: Socket; readonly to: Socket },
    pace: Pace,
    count: (bytes: number) => void,
  ): DelayedPipe {
    const pipe = new DelayedPipe(ends, pace, count, (moment) => {
      this.#alarm.wakeAt(moment);
    });
    this.#pipes.add(pipe);
    return pipe;
  }

  /** Whoever resets a connection resets it for the other, too; when both have gone, so do the pipes. */
  #watch(client: Socket, target: Socket, pipes: readonly DelayedPipe[]): void {
    const ends = [client, target];
    for (const socket of ends) {
      this.#sockets.add(socket);
      socket.on('error', () => {
        for (const end of ends) end.destroy();
      });
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#pauses.closed(client);
        if (ends.some((end) => this.#sockets.has(end))) return;
        for (const pipe of pipes) this.#pipes.delete(pipe);
      });
    }
  }

  #deliver(): void {
    for (const pipe of this.#pipes) {
      const next = pipe.deliver();
      if (next !== undefined) this.#alarm.wakeAt(next);
    }
  }
}
