/**
 * What does a network do to requests? It stands between client and server as a TCP proxy that knows nothing of HTTP: what a
 * client sends arrives `latencyMs` later, so each request costs that once, and each direction of each connection carries at most
 * `bytesPerSecond`. A connection opens at once and nothing is lost.
 */
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
  let traffic = { up: 0, down: 0, connections: 0 };
  const pauses = new Pauses();
  const pipes = new Set<DelayedPipe>();
  const sockets = new Set<Socket>();
  const alarm = new Alarm(() => {
    for (const pipe of pipes) {
      const next = pipe.deliver();
      if (next !== undefined) alarm.wakeAt(next);
    }
  });
  const wakeAt = (moment: bigint): void => {
    alarm.wakeAt(moment);
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    traffic.connections += 1;
    const up = new DelayedPipe({ from: client, to: target }, pace, (bytes) => (traffic.up += bytes), wakeAt);
    client.on('data', () => {
      pauses.asked(client);
    });
    const backPace = { ...pace, latencyMs: 0 };
    const down = new DelayedPipe(
      { from: target, to: client },
      backPace,
      (bytes) => {
        traffic.down += bytes;
        pauses.answered(client);
      },
      wakeAt,
    );
    const ends = [client, target];
    for (const socket of ends) {
      sockets.add(socket);
      // Whoever resets a connection resets it for the other, too.
      socket.on('error', () => {
        for (const end of ends) end.destroy();
      });
      socket.once('close', () => {
        sockets.delete(socket);
        pauses.closed(client);
        if (ends.some((end) => sockets.has(end))) return;
        pipes.delete(up);
        pipes.delete(down);
      });
    }
    pipes.add(up);
    pipes.add(down);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    takeTraffic: () => {
      const taken = { ...traffic, pauses: pauses.take() };
      traffic = { up: 0, down: 0, connections: 0 };
      return taken;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      await alarm.close();
    },
  };
}
