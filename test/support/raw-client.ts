/** What does the service answer, byte for byte? A client that hides nothing: one connection a request. */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface RawAnswer {
  readonly statusLine: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As long as Content-Length says, or until the connection ended. */
  readonly body: Buffer;
  /** Whether the connection ended before all of the body had come. */
  readonly isCut: boolean;
}

export interface RawRequest {
  readonly method: string;
  /** Sent as it is. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

export function basic(credentials: {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}): string {
  const pair = `${credentials.accessKeyId}:${credentials.secretAccessKey}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** Sends the request over a connection of its own. Rejects when the connection is reset before an answer's head is whole. */
export async function exchange(baseUrl: string, request: RawRequest): Promise<RawAnswer> {
  const socket = await openSocket(baseUrl);
  try {
    const body = Buffer.from(request.body ?? '');
    const length = request.body === undefined ? {} : { 'Content-Length': String(body.length) };
    socket.write(
      headOf(request.method, request.path, { Connection: 'close', ...length, ...request.headers }),
    );
    socket.write(body);
    return await readAnswer(socket);
  } finally {
    socket.destroy();
  }
}

export async function openSocket(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

export function headOf(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: 'test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Reads until the connection ends. */
export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  const pieces: Buffer[] = [];
  let failure: unknown;
  try {
    for await (const piece of socket as AsyncIterable<Buffer>) pieces.push(piece);
  } catch (error) {
    failure = error;
  }
  const bytes = Buffer.concat(pieces);
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) throw new Error('the connection ended before an answer', { cause: failure });
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = bytes.subarray(headEnd + 4);
  const isCut = body.length < Number(headers['content-length'] ?? 0);
  return { statusLine, status: Number(statusLine.split(' ')[1]), headers, body, isCut };
}

export function jsonOf(answer: RawAnswer): unknown {
  return JSON.parse(answer.body.toString());
}
