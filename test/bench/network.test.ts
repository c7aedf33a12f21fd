/** The network model of the bench: what it says is what it does. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Line } from '../../bench/network/line.ts';
import { openLink } from '../../bench/network/network-model.ts';

const MS = 1_000_000n;

describe('a line', () => {
  it('makes all bytes late by its latency', () => {
    const line = new Line({ latencyMs: 25, bytesPerSecond: null });

    expect(line.send(100, 7n * MS)).toBe(32n * MS);
    expect(line.send(1_000_000, 8n * MS)).toBe(33n * MS);
  });

  it('sends bytes one after the other at its rate, and rests in between', () => {
    const line = new Line({ latencyMs: 25, bytesPerSecond: 60e6 });

    expect(line.send(60_000, 0n)).toBe(26n * MS);
    expect(line.send(60_000, 0n)).toBe(27n * MS);
    expect(line.busyFor(0n)).toBe(2n * MS);
    expect(line.send(60_000, 10n * MS)).toBe(36n * MS);
    expect(line.busyFor(11n * MS)).toBe(0n);
  });
});

describe('a link', () => {
  it('hands over every byte in both directions, counts them, and passes on the end of each', async () => {
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    const link = await openLink((echo.address() as AddressInfo).port, {
      latencyMs: 2,
      bytesPerSecond: 500e6,
    });
    onTestFinished(async () => {
      await link.close();
      echo.close();
    });
    const sent = Buffer.alloc(3_000_000, 'some bytes');

    const client = connect(link.port, '127.0.0.1');
    client.end(sent);
    const received: Buffer[] = [];
    for await (const piece of client) received.push(piece as Buffer);

    expect(Buffer.concat(received).equals(sent)).toBe(true);
    expect(link.takeTraffic()).toMatchObject({ up: sent.length, down: sent.length, connections: 1 });
    expect(link.takeTraffic()).toEqual({ up: 0, down: 0, connections: 0, pauses: [] });
  });

  it('is late by its latency once a request, and slow by its rate in each direction', async () => {
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    const { port } = echo.address() as AddressInfo;
    const [late, slow] = [
      await openLink(port, { latencyMs: 300, bytesPerSecond: null }),
      await openLink(port, { latencyMs: 0, bytesPerSecond: 10e6 }),
    ];
    onTestFinished(async () => {
      await Promise.all([late.close(), slow.close()]);
      echo.close();
    });

    const ofLatency = await millisecondsOf(late.port, Buffer.from('a request'));
    const ofRate = await millisecondsOf(slow.port, Buffer.alloc(2_000_000));

    expect(ofLatency).toBeGreaterThanOrEqual(300);
    expect(ofLatency).toBeLessThan(600);
    expect(ofRate).toBeGreaterThanOrEqual(200);
  });

  it('resets a connection whose server has gone', async () => {
    const vanished = createServer((socket) => socket.resetAndDestroy());
    await once(vanished.listen(0, '127.0.0.1'), 'listening');
    const link = await openLink((vanished.address() as AddressInfo).port, {
      latencyMs: 0,
      bytesPerSecond: null,
    });
    onTestFinished(async () => {
      await link.close();
      vanished.close();
    });

    const client = connect(link.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('a request');

    await once(client, 'close');
    expect(client.destroyed).toBe(true);
  });
});

/** Until all of it is back. */
async function millisecondsOf(port: number, sent: Buffer): Promise<number> {
  const client = connect(port, '127.0.0.1');
  await once(client, 'connect');
  const start = performance.now();
  client.end(sent);
  await once(client.resume(), 'end');
  return performance.now() - start;
}
