/** What becomes of an answer whose connection ends before its reader has asked for all of it? */
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { patternedBytes } from '../support/patterned-bytes.ts';
import type { Script } from '../support/raw-server.ts';
import { openClient, refusalFrom } from './open-client.ts';

/** As much as waits for a reader who asks for nothing: the connection ends just where undici has taken it. */
const READY = patternedBytes(128 * 1024);
const VERSION = 'ETag: "e"\r\nLast-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\n';

/** `READY` in pieces that come one by one, and then `end`. */
function answer(head: string, end: (socket: Socket) => void): Script {
  return {
    play: async (socket) => {
      socket.write(`${head}${VERSION}\r\n`);
      for (let from = 0; from < READY.length; from += READY.length / 4) {
        await sleep(10);
        socket.write(READY.subarray(from, from + READY.length / 4));
      }
      await sleep(10);
      end(socket);
    },
  };
}

function counted(length: number, connection = 'close'): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\nConnection: ${connection}\r\n`;
}

const uncounted = `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-${READY.length - 1}/${READY.length + 1}\r\n`;

function bye(socket: Socket): void {
  socket.end();
}

async function downloadLate(script: Script): Promise<Buffer> {
  const { service, server } = await openClient([script]);
  const { body } = await service.getObject('b', 'k', { range: { start: 0, end: READY.length } });
  // Long enough for all of it to come, and for its end.
  await sleep(200);
  expect(server.requests).toHaveLength(1);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    pieces.push(Uint8Array.from(piece));
    await nextTurn();
  }
  return Buffer.concat(pieces);
}

describe('a download whose reader is behind when the connection ends', () => {
  it.each([
    ['says that it will, as after the last of so many requests', answer(counted(READY.length), bye)],
    ['does not say so', answer(counted(READY.length, 'keep-alive'), bye)],
    ['has no other end', answer(`${uncounted}Connection: close\r\n`, bye)],
  ])('arrives whole where the answer %s', async (_what, script) => {
    expect((await downloadLate(script)).equals(READY)).toBe(true);
  });

  it.each([
    ['ends', bye],
    [
      'is reset',
      (socket: Socket) => {
        socket.resetAndDestroy();
      },
    ],
  ])('is refused as cut when the connection %s before the last byte', async (_what, end) => {
    const script = answer(counted(READY.length + 1), end);

    expect(await refusalFrom(downloadLate(script))).toMatchObject({ kind: 'unavailable' });
  });
});
