/** How does an answer leave, with or without a fault in it? */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Answer } from './answer.ts';
import type { Fault } from './faults.ts';

/** Sends `answer`, made worse by `fault`. Resolves when it is handed over; sending itself may go on. */
export async function send(reply: FastifyReply, answer: Answer, fault: Fault | undefined): Promise<void> {
  if (fault?.kind === 'lost-answer') {
    resetConnection(reply);
    await discard(answer.body);
    return;
  }
  const damaged = fault === undefined ? answer : damage(answer, fault);
  reply.code(damaged.status).headers(damaged.headers);
  const { body } = damaged;
  const isHead = reply.request.method === 'HEAD';
  if (body === null || isHead) {
    await discard(body);
    await reply.send();
    return;
  }
  const stop = fault?.kind === 'cut' || fault?.kind === 'stall' ? fault : undefined;
  const text = typeof body === 'string' ? Buffer.from(body) : undefined;
  if (text !== undefined) reply.header('content-length', text.length);
  if (stop?.afterBytes === undefined) {
    await reply.send(text ?? Readable.from(body, { objectMode: false }));
    return;
  }
  const source = text === undefined ? (body as AsyncIterable<Uint8Array>) : [text];
  await reply.send(Readable.from(stopAfter(reply, source, stop), { objectMode: false }));
}

/** Reads `bytes` of a request's body, or to its end; none when undefined. */
export async function takeBody(request: IncomingMessage, bytes: number | undefined): Promise<void> {
  if (bytes === undefined) return;
  let left = bytes;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    left -= (piece as Uint8Array).length;
    if (left <= 0) return;
  }
}

/** The client sees ECONNRESET. */
export function resetConnection(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.socket?.resetAndDestroy();
}

/** Never answers; resolves when the connection is gone. */
export async function stall(reply: FastifyReply): Promise<void> {
  reply.hijack();
  await closing(reply);
}

/** Bytes that nobody will read hold a file open until they are told so. */
async function discard(body: Answer['body']): Promise<void> {
  if (body !== null && typeof body !== 'string') await body[Symbol.asyncIterator]().return?.();
}

function damage(answer: Answer, fault: Fault): Answer {
  if (fault.kind === 'corrupt-json' && typeof answer.body === 'string')
    return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
  if (fault.kind === 'changed-etag' && answer.headers['etag'] !== undefined)
    return { ...answer, headers: { ...answer.headers, etag: fault.etag } };
  return answer;
}

async function* stopAfter(
  reply: FastifyReply,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  fault: { readonly kind: 'cut' | 'stall'; readonly afterBytes?: number | undefined },
): AsyncGenerator<Uint8Array> {
  let left = fault.afterBytes ?? 0;
  for await (const piece of source) {
    if (left > 0) yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) break;
  }
  reply.raw.flushHeaders();
  // Ended, not destroyed: the bytes so far shall arrive.
  if (fault.kind === 'cut') reply.raw.socket?.end();
  await closing(reply);
}

function closing(reply: FastifyReply): Promise<void> {
  const { socket } = reply.raw;
  if (socket === null || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) =>
    socket.once('close', () => {
      resolve();
    }),
  );
}
