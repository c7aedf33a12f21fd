/** How does a command ask the process that serves a mount? */
import { request } from 'node:http';
import { z } from 'zod';
import type { ChangeOutcome } from '../../filesystem/unsent/unsent-changes.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { Visibility } from '../../service/records.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { EndUnknown } from '../connecting/refused.ts';
import {
  changesDocument,
  doneDocument,
  giveUpDocument,
  hiddenDocument,
  linkDocument,
  outcomesDocument,
  refusalDocument,
  statusDocument,
  type GiveUpDocument,
  type LinkDocument,
  type StatusDocument,
} from './control-documents.ts';

/** For an answer that asks nobody else. A process that takes longer is as good as silent; on a busy machine one may wait for its turn. */
const DEADLINE_MS = 5000;
/** Whoever owns the socket may not fill the memory of who asks. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Nobody answers: the process is gone, hangs, or is of another version. */
export class ControlSilent extends Error {
  override readonly name = 'ControlSilent';
}

/** It was understood, and cannot be done. */
export class ControlRefused extends Error {
  override readonly name = 'ControlRefused';
  /** Of a change. */
  readonly mayBeDone: boolean;

  constructor(message: string, mayBeDone = false) {
    super(message);
    this.mayBeDone = mayBeDone;
  }
}

/** For `catch`: what a mount does not do is a `CommandError`. */
export function throwInWords(error: unknown): never {
  if (error instanceof ControlSilent || error instanceof ControlRefused) {
    throw new CommandError(exitCodes.failed, error.message, { cause: error });
  }
  throw error;
}

/** For `catch`, as `throwInWords`, of a change that the mount may have made before it fell silent, or the service without a word. */
export function throwOfChange(error: unknown): never {
  if (error instanceof ControlSilent || (error instanceof ControlRefused && error.mayBeDone))
    throw new EndUnknown(exitCodes.failed, error.message, { cause: error });
  return throwInWords(error);
}

/** For `catch`, as `throwInWords`, where a mount that fell silent may have done a part of what it was asked to do with what waits there. */
export function throwWithWhatWaits(error: unknown): never {
  if (!(error instanceof ControlSilent)) throwInWords(error);
  throw new CommandError(exitCodes.failed, `${error.message}: "pailfs uploads" lists what still waits`, {
    cause: error,
  });
}

/** For `catch`, where no answer is an answer. */
export function nullWhenSilent(error: unknown): null {
  if (error instanceof ControlSilent || error instanceof ControlRefused) return null;
  throw error;
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** Milliseconds; undefined: as long as it takes. */
  readonly deadline: number | undefined;
}

interface Question<Answer> extends Request {
  readonly schema: z.ZodType<Answer>;
}

/** One control socket. Every method rejects with `ControlSilent` or `ControlRefused`. */
export class ControlClient {
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  /** Resolves when the process answers at all. */
  async requireAnswer(): Promise<void> {
    await this.#exchange({ method: 'GET', path: '/', deadline: DEADLINE_MS });
  }

  status(): Promise<StatusDocument> {
    return this.#ask({ method: 'GET', path: '/status', schema: statusDocument, deadline: DEADLINE_MS });
  }

  async uploads(): Promise<readonly UnsentChange[]> {
    const question = { method: 'GET', path: '/uploads', schema: changesDocument } as const;
    return (await this.#ask({ ...question, deadline: DEADLINE_MS })).changes;
  }

  async retry(ids: readonly string[] | null): Promise<readonly ChangeOutcome[]> {
    const question = { method: 'POST', path: '/uploads/retry', schema: outcomesDocument } as const;
    return (await this.#ask({ ...question, body: { ids }, deadline: undefined })).outcomes;
  }

  async discard(ids: readonly string[]): Promise<readonly ChangeOutcome[]> {
    const question = { method: 'POST', path: '/uploads/discard', schema: outcomesDocument } as const;
    return (await this.#ask({ ...question, body: { ids }, deadline: undefined })).outcomes;
  }

  giveUp(): Promise<GiveUpDocument> {
    return this.#ask({ method: 'POST', path: '/give-up', schema: giveUpDocument, deadline: DEADLINE_MS });
  }

  // The service is asked for what follows, and has deadlines of its own.
  link(path: string): Promise<LinkDocument> {
    const question = { method: 'POST', path: '/link', schema: linkDocument } as const;
    return this.#ask({ ...question, body: { path }, deadline: undefined });
  }

  setVisibility(path: string, visibility: Visibility): Promise<LinkDocument> {
    const question = { method: 'POST', path: '/visibility', schema: linkDocument } as const;
    return this.#ask({ ...question, body: { path, visibility }, deadline: undefined });
  }

  async hidden(path: string): Promise<number> {
    const question = { method: 'POST', path: '/hidden', schema: hiddenDocument } as const;
    return (await this.#ask({ ...question, body: { path }, deadline: undefined })).hidden;
  }

  async refresh(path: string): Promise<void> {
    const question = { method: 'POST', path: '/refresh', schema: doneDocument } as const;
    await this.#ask({ ...question, body: { path }, deadline: undefined });
  }

  async #ask<Answer>(question: Question<Answer>): Promise<Answer> {
    const { status, text } = await this.#exchange(question);
    const document = jsonOf(text);
    if (status !== 200) {
      const refusal = refusalDocument.safeParse(document);
      if (!refusal.success) throw new ControlRefused(`status ${status}`);
      throw new ControlRefused(refusal.data.message, refusal.data.mayBeDone);
    }
    const answer = question.schema.safeParse(document);
    if (answer.success) return answer.data;
    throw new ControlSilent('another version of pailfs serves the mount', { cause: answer.error });
  }

  #exchange(request: Request): Promise<Response> {
    return exchange(this.#socket, request).catch((cause: unknown) => {
      throw new ControlSilent('the process that serves the mount does not answer', { cause });
    });
  }
}

interface Response {
  readonly status: number;
  readonly text: string;
}

function exchange(socketPath: string, { method, path, body, deadline }: Request): Promise<Response> {
  return new Promise((resolve, reject) => {
    const signal = deadline === undefined ? {} : { signal: AbortSignal.timeout(deadline) };
    // A connection each: of one that is kept, who has been busy since does not know that the other side has ended it, and takes that for silence.
    const asking = request({ socketPath, method, path, agent: false, ...signal }, (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('error', reject);
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        size += piece.length;
        if (size > MAX_ANSWER_BYTES) response.destroy(new Error('the answer has no end'));
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
      });
    });
    asking.on('error', reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
