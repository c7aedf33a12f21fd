/**
 * How does an `ObjectService`, any one, become the HTTP interface of the spec?
 *
 * Each request is named (which endpoint, which key), logged, perhaps hit by a fault, authenticated, answered and sent, in
 * this order. The router only ever sees the name of the endpoint: its own reading of a path would not keep keys byte-exact.
 */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { ObjectService } from '../service/object-service.ts';
import { isRefusal } from '../service/refusal.ts';
import { errorAnswer, refusalAnswer, type Answer, type Family } from './answer.ts';
import type { Behaviours } from './behaviours.ts';
import { bucketEndpoints } from './bucket-endpoints.ts';
import { authenticate, type Credential } from './credentials.ts';
import { httpDate } from './encode.ts';
import type { Endpoint } from './endpoint.ts';
import type { Fault, FaultPlan } from './faults.ts';
import { fileEndpoints } from './file-endpoints.ts';
import { BadBodyError, readFields } from './json-body.ts';
import { BadPathError, parseTarget, pathName, type Target } from './raw-path.ts';
import type { RequestLimit } from './request-limit.ts';
import type { RequestLog, RequestRecord } from './request-log.ts';
import { resetConnection, send, stall, takeBody } from './sending.ts';

/** What a front needs to answer. */
export interface FrontParts {
  /** The service as a credential's account sees it. */
  readonly serviceFor: (credential: Credential) => ObjectService;
  readonly credentials: readonly Credential[];
  readonly behaviours: Behaviours;
  readonly limit: RequestLimit;
  readonly clock: Clock;
  readonly log: Log;
  readonly requests: RequestLog;
  readonly faults: FaultPlan;
  /** Serves links; absent when the service has none of its own. */
  readonly answerLink?: ((target: Target) => Promise<Answer>) | undefined;
}

/** Keys have no limit in the spec; this only bounds what one request line may cost. */
const LONGEST_HEADERS = 256 * 1024;
const WRONG = 'The credentials are missing or wrong.';

/** A server that does not listen yet. */
export function httpFront(parts: FrontParts): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: 0,
    http: { maxHeaderSize: LONGEST_HEADERS },
    rewriteUrl: (request) => {
      // Stored as it was sent (rawHeaders); the router would refuse types that it cannot parse.
      if (request.headers['content-type'] !== undefined)
        request.headers['content-type'] = 'application/octet-stream';
      return `/${pathName(request.url ?? '') ?? 'nowhere'}`;
    },
  });
  app.removeAllContentTypeParsers();
  // Bodies stay streams: uploads are never gathered in memory.
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(null);
  });
  for (const endpoint of [...bucketEndpoints, ...fileEndpoints]) {
    app.route({
      method: endpoint.method,
      url: `/${endpoint.path}`,
      handler: (request, reply) => handle(parts, endpoint, request, reply),
    });
  }
  for (const url of ['/public', '/private']) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (request, reply) => handleLink(parts, request, reply),
    });
  }
  app.setNotFoundHandler((request, reply) => handleUnknown(parts, request, reply));
  app.setErrorHandler((error, request, reply) => {
    parts.log.error('A request failed in the server itself', { error: describeError(error) });
    return sendDated(parts, reply, errorAnswer(familyOf(request), 500, 'internal error'), undefined);
  });
  return app;
}

async function handle(
  parts: FrontParts,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const named = await nameRequest(endpoint, request);
  parts.requests.record(named.record);
  const fault = parts.faults.take(named.record);
  if (fault?.kind === 'reset') {
    await takeBody(request.raw, fault.afterBytes);
    resetConnection(reply);
    return reply;
  }
  if (fault?.kind === 'stall' && fault.afterBytes === undefined) {
    await stall(reply);
    return reply;
  }
  if (fault?.kind === 'delay') await parts.clock.sleep(fault.milliseconds);
  const answer =
    fault?.kind === 'status'
      ? faultAnswer(endpoint.family, fault)
      : await answerTo(parts, endpoint, request, named);
  return sendDated(parts, reply, answer, fault);
}

interface NamedRequest {
  readonly record: RequestRecord;
  readonly target: Target | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why it cannot be answered, when the address or body is not readable. */
  readonly unreadable: string | undefined;
}

async function nameRequest(endpoint: Endpoint, request: FastifyRequest): Promise<NamedRequest> {
  const { operation, named } = endpoint;
  try {
    const target = parseTarget(request.originalUrl);
    const { bucket } = target;
    const fields = named === undefined ? {} : await readFields(request.raw);
    const name = named === undefined ? undefined : fields[named];
    return {
      record: { operation, bucket, ...subject(endpoint, target, name) },
      target,
      fields,
      unreadable: undefined,
    };
  } catch (error) {
    if (!(error instanceof BadPathError) && !(error instanceof BadBodyError)) throw error;
    return { record: { operation }, target: undefined, fields: {}, unreadable: error.message };
  }
}

function subject(endpoint: Endpoint, { path, key, query }: Target, name: unknown): Partial<RequestRecord> {
  const named = typeof name === 'string' ? name : '';
  if (path === 'listing') return { folder: query.get('folder') ?? query.get('prefix') ?? '' };
  if (path === 'folders') return { folder: named };
  if (path === 'object') return { key };
  if (path === 'visibility' || path === 'url')
    return { key: endpoint.operation === 'getVisibility' ? (query.get('key') ?? '') : named };
  return {};
}

async function answerTo(
  parts: FrontParts,
  endpoint: Endpoint,
  request: FastifyRequest,
  named: NamedRequest,
): Promise<Answer> {
  const { family, access, operation } = endpoint;
  if (!parts.limit.take()) return errorAnswer(family, 429, 'There are too many requests.');
  const credential = authenticate(request.headers.authorization, parts.credentials);
  const { wrongCredentials, weakCredentials } = parts.behaviours;
  if (credential === undefined) return deniedAnswer(family, wrongCredentials, WRONG);
  if (access === 'read-write' && credential.access === 'read')
    return deniedAnswer(family, weakCredentials, 'This credential may only read.');
  const { target, fields } = named;
  if (target === undefined) return errorAnswer(family, 400, named.unreadable ?? 'bad request');
  try {
    const service = parts.serviceFor(credential);
    return await endpoint.answer({
      service,
      target,
      fields,
      request: request.raw,
      behaviours: parts.behaviours,
    });
  } catch (error) {
    if (!isRefusal(error))
      parts.log.error('An operation failed in the server itself', { operation, error: describeError(error) });
    return refusalAnswer(family, error, target.query.has('token') && !target.query.has('page'));
  }
}

async function handleLink(
  parts: FrontParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let answer = errorAnswer('file', 404, 'There is no such link.');
  try {
    const target = parseTarget(request.originalUrl);
    if (parts.answerLink !== undefined) answer = await parts.answerLink(target);
  } catch (error) {
    if (!(error instanceof BadPathError)) throw error;
    answer = errorAnswer('file', 400, error.message);
  }
  return sendDated(parts, reply, answer, undefined);
}

function handleUnknown(
  parts: FrontParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const family = familyOf(request);
  const isKnown = authenticate(request.headers.authorization, parts.credentials) !== undefined;
  const status = pathName(request.originalUrl) === undefined ? 404 : 405;
  const text = status === 404 ? 'There is no such endpoint.' : 'This endpoint does not know the method.';
  return sendDated(
    parts,
    reply,
    isKnown
      ? errorAnswer(family, status, text)
      : deniedAnswer(family, parts.behaviours.wrongCredentials, WRONG),
    undefined,
  );
}

async function sendDated(
  parts: FrontParts,
  reply: FastifyReply,
  answer: Answer,
  fault: Fault | undefined,
): Promise<FastifyReply> {
  const { behaviours, clock } = parts;
  const ahead = behaviours.date;
  reply.raw.sendDate = false;
  if (ahead !== 'missing') reply.header('date', httpDate(new Date(clock.now() + ahead * 1000), behaviours));
  await send(reply, answer, fault);
  return reply;
}

function familyOf(request: FastifyRequest): Family {
  const path = pathName(request.originalUrl);
  return path === 'listing' || path === 'object' ? 'file' : 'management';
}

function deniedAnswer(family: Family, status: 401 | 403, text: string): Answer {
  const answer = errorAnswer(family, status, text);
  if (status === 403) return answer;
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': 'Basic realm="pailfs"' } };
}

function faultAnswer(family: Family, fault: Extract<Fault, { kind: 'status' }>): Answer {
  const text = 'A fault that was asked for.';
  if (fault.isPage === true)
    return { status: fault.status, headers: { 'content-type': 'text/html' }, body: `<p>${text}</p>` };
  const answer = errorAnswer(family, fault.status, text);
  if (fault.retryAfter === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(fault.retryAfter) } };
}
