/**
 * How does a serving process answer the commands of pailfs? HTTP over a socket that only its owner, and root, may
 * connect to. It stays while the mount ends: that is when most is asked.
 */
import { chmod, lstat, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { CommandError } from '../command-error.ts';
import { mayBeDone } from '../connecting/refused.ts';
import {
  pathDocument,
  selectionDocument,
  visibilityWishDocument,
  type Controlled,
} from './control-documents.ts';

const SOCKET_MODE = 0o600;
/** Of a request's body; a hundred thousand identifiers fit. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

type Route = (body: unknown) => Promise<unknown>;

export class ControlServer {
  readonly #server: Server;
  readonly #path: string;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.#path = path;
  }

  /** Listens at `path`, in place of a socket that a dead process left there. Rejects with a Node system error. */
  static async open(path: string, controlled: Controlled): Promise<ControlServer> {
    const routes = routesOf(controlled);
    const server = createServer((request, response) => {
      void answer(routes, request, response);
    });
    // To store a large file again takes as long as it takes.
    server.requestTimeout = 0;
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    server.unref();
    await chmod(path, SOCKET_MODE);
    return new ControlServer(server, path);
  }

  /** Whether its name is still there; also when nobody can tell. */
  async isThere(): Promise<boolean> {
    try {
      await lstat(this.#path);
      return true;
    } catch (error) {
      return systemErrorCode(error) !== 'ENOENT';
    }
  }

  async close(): Promise<void> {
    // Closing removes the socket's name, too.
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    this.#server.closeAllConnections();
    await closed;
    await rm(this.#path, { force: true });
  }
}

function routesOf(controlled: Controlled): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ['GET /status', () => controlled.status()],
    ['GET /uploads', async () => ({ changes: await controlled.uploads() })],
    [
      'POST /uploads/retry',
      async (body) => ({ outcomes: await controlled.retry(selectionDocument.parse(body).ids) }),
    ],
    [
      'POST /uploads/discard',
      async (body) => ({ outcomes: await controlled.discard(selectionDocument.parse(body).ids ?? []) }),
    ],
    ['POST /give-up', () => Promise.resolve(controlled.giveUp())],
    ['POST /link', (body) => controlled.link(pathDocument.parse(body).path)],
    [
      'POST /visibility',
      (body) => {
        const { path, visibility } = visibilityWishDocument.parse(body);
        return controlled.setVisibility(path, visibility);
      },
    ],
    ['POST /hidden', async (body) => ({ hidden: await controlled.hidden(pathDocument.parse(body).path) })],
    [
      'POST /refresh',
      async (body) => {
        await controlled.refresh(pathDocument.parse(body).path);
        return {};
      },
    ],
  ]);
}

async function answer(
  routes: ReadonlyMap<string, Route>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const route = routes.get(`${request.method ?? ''} ${request.url ?? ''}`);
    if (route === undefined) send(response, 404, { message: 'this pailfs does not know what is asked' });
    else send(response, 200, await route(await bodyOf(request)));
  } catch (error) {
    const status = error instanceof z.ZodError || error instanceof SyntaxError ? 400 : 409;
    // What is in words already needs no causes.
    const message = error instanceof CommandError ? error.message : describeError(error);
    send(response, status, { message, mayBeDone: mayBeDone(error) });
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) throw new SyntaxError('the body is too large');
    pieces.push(piece);
  }
  return size === 0 ? undefined : JSON.parse(Buffer.concat(pieces).toString());
}

function send(response: ServerResponse, status: number, document: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(document));
}
