/** Do the bytes of large files arrive as they were sent, although the memory they pass through is used again? */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Download } from '../../src/service/object-service.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import type { Script } from '../support/raw-server.ts';
import { openClient, refusalFrom, until } from './open-client.ts';

const MIB = 1024 * 1024;
const SIZE = 6 * MIB;
const VERSION = 'ETag: "e"\r\nLast-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\n';

async function write(socket: Socket, bytes: Uint8Array | string): Promise<void> {
  await new Promise<void>((resolve) =>
    socket.write(bytes, () => {
      resolve();
    }),
  );
}

function whole(bytes: Uint8Array): Script {
  return {
    play: async (socket) => {
      await write(socket, `HTTP/1.1 200 OK\r\n${VERSION}Content-Length: ${bytes.length}\r\n\r\n`);
      await write(socket, bytes);
    },
  };
}

/** In chunks of `size` bytes, of which many come with one look at the socket. */
function chunked(bytes: Uint8Array, size: number): Script {
  return {
    play: async (socket) => {
      const status = `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-${bytes.length - 1}/${bytes.length}\r\n`;
      const parts: Uint8Array[] = [Buffer.from(`${status}${VERSION}Transfer-Encoding: chunked\r\n\r\n`)];
      for (let from = 0; from < bytes.length; from += size) {
        const piece = bytes.subarray(from, from + size);
        parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
      }
      await write(socket, Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]));
    },
  };
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** As a reader does that is done with each piece when it asks for the next. `pause`: milliseconds it takes for some of them. */
async function hashOf({ body }: Download, pause = 0): Promise<string> {
  const hash = createHash('md5');
  let count = 0;
  for await (const piece of body) {
    count += 1;
    if (pause > 0 && count % 8 === 0) await sleep(pause);
    hash.update(piece);
  }
  return hash.digest('hex');
}

describe('large downloads', () => {
  const files = [1, 2, 3, 4].map((seed) => patternedBytes(SIZE, seed));

  it('pass through a part of the memory that they would fill, where the reader is done with each piece at once', async () => {
    const { service } = await openClient(files.map(whole), { connections: 1 });
    const memory = new Set<ArrayBufferLike>();

    for (const file of files) {
      const { body } = await service.getObject('b', 'k', { isReadAtOnce: true });
      let length = 0;
      for await (const piece of body) {
        memory.add(piece.buffer);
        length += piece.length;
      }
      expect(length).toBe(file.length);
    }

    const used = [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(used).toBeLessThan((files.length * SIZE) / 2);
  });

  it('arrive as they were sent, one after the other over the same memory', async () => {
    const { service } = await openClient(files.map(whole), { connections: 1 });

    for (const file of files) {
      const download = await service.getObject('b', 'k', { isReadAtOnce: true });
      expect(await hashOf(download)).toBe(md5(file));
    }
  });

  it('arrive as they were sent, side by side, to readers of different speed', async () => {
    const { service } = await openClient(files.map(whole));

    const hashes = await Promise.all(
      files.map(async (_, index) => hashOf(await service.getObject('b', 'k', { isReadAtOnce: true }), index)),
    );

    expect(hashes.sort()).toEqual(files.map(md5).sort());
  });

  it.each([700, 9_000, 50_000, 200_000])('arrive as they were sent in chunks of %i bytes', async (size) => {
    const parts = files.map((file) => file.subarray(0, 2 * MIB + 1));
    const { service } = await openClient(parts.map((part) => chunked(part, size)));
    const query = { range: { start: 0, end: 2 * MIB + 1 }, isReadAtOnce: true };

    const hashes = await Promise.all(
      parts.map(async (_, index) => hashOf(await service.getObject('b', 'k', query), index)),
    );

    expect(hashes.sort()).toEqual(parts.map(md5).sort());
  });

  it('stay as they were for a reader that keeps their pieces and has promised nothing', async () => {
    const { service } = await openClient(files.map(whole));

    const kept = await Promise.all(
      files.map(async () => {
        const pieces: Uint8Array[] = [];
        for await (const piece of (await service.getObject('b', 'k')).body) pieces.push(piece);
        return pieces;
      }),
    );

    expect(kept.map((pieces) => md5(Buffer.concat(pieces))).sort()).toEqual(files.map(md5).sort());
  });

  it('that nobody reads to the end leave the others alone', async () => {
    const [first, ...others] = files;
    const { service } = await openClient([whole(first ?? new Uint8Array()), ...others.map(whole)]);
    const left = (await service.getObject('b', 'k', { isReadAtOnce: true })).body[Symbol.asyncIterator]();
    await left.next();
    await left.next();

    await left.return?.();
    const hashes = await Promise.all(
      others.map(async () => hashOf(await service.getObject('b', 'k', { isReadAtOnce: true }))),
    );

    expect(hashes.sort()).toEqual(others.map(md5).sort());
  });

  it('change no word of a long refusal that is still arriving', async () => {
    const [file = new Uint8Array()] = files;
    const document = Buffer.from(JSON.stringify({ padding: 'x'.repeat(60_000), error: 'not yours' }));
    const release: (() => void)[] = [];
    const refusing: Script = {
      play: async (socket) => {
        await write(socket, `HTTP/1.1 403 Forbidden\r\nContent-Length: ${document.length}\r\n\r\n`);
        await sleep(20);
        await write(socket, document.subarray(0, -1));
        await new Promise<void>((resolve) => release.push(resolve));
        await write(socket, document.subarray(-1));
      },
    };
    const { service, server } = await openClient([refusing, whole(file)]);
    const refused = refusalFrom(service.getObject('b', 'refused', { isReadAtOnce: true }));
    await server.arrived(1);
    await until(() => release.length > 0);
    await sleep(20);

    const hash = await hashOf(await service.getObject('b', 'k', { isReadAtOnce: true }));
    for (const resolve of release) resolve();

    expect(hash).toBe(md5(file));
    expect((await refused).message).toContain('not yours');
  });

  it('whose reader pauses wait on the line, and come whole when he goes on', async () => {
    const blocks = Array.from({ length: 96 }, () => files[0]?.subarray(0, MIB) ?? new Uint8Array());
    const size = blocks.length * MIB;
    let sent = 0;
    const { service } = await openClient([
      {
        play: async (socket) => {
          await write(socket, `HTTP/1.1 200 OK\r\n${VERSION}Content-Length: ${size}\r\n\r\n`);
          for (const block of blocks) {
            await write(socket, block);
            sent += block.length;
          }
        },
      },
    ]);
    const pieces = (await service.getObject('b', 'k')).body[Symbol.asyncIterator]();
    let received = ((await pieces.next()).value as Uint8Array).length;

    const sentInPause = await untilStill(() => sent);
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
      received += next.value.length;

    // What the system keeps of a connection is a few MiB.
    expect(sentInPause).toBeLessThan(size / 2);
    expect(received).toBe(size);
  });
});

/** What `amount` is once it has not changed for a while. */
async function untilStill(amount: () => number): Promise<number> {
  for (let before = -1; before !== amount();) {
    before = amount();
    await sleep(200);
  }
  return amount();
}
