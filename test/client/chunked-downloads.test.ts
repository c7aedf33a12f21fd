/** What does a body in short chunks cost whose reader is slower than the line? */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { patternedBytes } from '../support/patterned-bytes.ts';
import type { Script } from '../support/raw-server.ts';
import { openClient } from './open-client.ts';

const KIB = 1024;
const CONTENT = patternedBytes(8 * KIB * KIB);
const PART = { start: 1, end: CONTENT.length };

/** All but the first byte, without its length. */
function inChunksOf(bytes: number): Script {
  return {
    play: (socket) => {
      socket.write(
        'HTTP/1.1 206 Partial Content\r\nETag: "e"\r\nLast-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\n' +
          `Content-Range: bytes 1-${CONTENT.length - 1}/${CONTENT.length}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      for (let from = PART.start; from < PART.end; from += bytes) {
        const chunk = CONTENT.subarray(from, from + bytes);
        socket.write(`${chunk.length.toString(16)}\r\n`);
        socket.write(chunk);
        socket.write('\r\n');
      }
      socket.write('0\r\n\r\n');
    },
  };
}

it.each([4, 16, 64])(
  'a body in chunks of %s KiB is not put back again and again while its reader is slower than the line',
  async (kibibytes) => {
    const { service } = await openClient([inChunksOf(kibibytes * KIB)]);
    const unshift = vi.spyOn(Readable.prototype, 'unshift');
    onTestFinished(() => {
      unshift.mockRestore();
    });
    const pieces: Uint8Array[] = [];

    const { body } = await service.getObject('b', 'k', { range: PART });
    for await (const piece of body) {
      pieces.push(Uint8Array.from(piece));
      await nextTurn();
    }

    expect(Buffer.concat(pieces).equals(CONTENT.subarray(PART.start))).toBe(true);
    const putBack = unshift.mock.calls.map(([bytes]) => (bytes as Uint8Array).length);
    expect(putBack.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(2 * CONTENT.length);
    // What is not read waits with the service, and not in memory.
    expect(Math.max(...putBack)).toBeLessThan(512 * KIB);
  },
);
