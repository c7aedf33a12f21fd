/** What would a caller see of a fault, after the client has done what it can? In process, without HTTP. */
import { systemClock, type Clock } from '../../src/base/clock.ts';
import type { Fault, FaultPlan } from '../../src/server/faults.ts';
import type { RequestRecord } from '../../src/server/request-log.ts';
import type { Download, ObjectService } from '../../src/service/object-service.ts';
import type { ObjectHead } from '../../src/service/records.ts';
import { Refusal, type RefusalKind } from '../../src/service/refusal.ts';
import { InterceptedService } from './intercepted-service.ts';

/** `inner`, with the faults of `plan`. Statuses become the refusals that they stand for; a stall is a timeout. */
export function faultyService(
  inner: ObjectService,
  plan: FaultPlan,
  clock: Clock = systemClock,
): ObjectService {
  return new InterceptedService(inner, async (call, proceed) => {
    const fault = plan.take(call);
    if (fault === undefined) return proceed();
    await before(fault, call, clock);
    return after(fault, call, await proceed());
  });
}

async function before(fault: Fault, call: RequestRecord, clock: Clock): Promise<void> {
  const { operation } = call;
  if (fault.kind === 'delay') await clock.sleep(fault.milliseconds);
  if (fault.kind === 'status') {
    const retryAfter = typeof fault.retryAfter === 'number' ? fault.retryAfter * 1000 : undefined;
    const details = { operation, status: fault.status, subject: call.key, retryAfter };
    throw new Refusal(kindOf(fault, call), 'a fault that was asked for', details);
  }
  if (fault.kind === 'reset') throw new Refusal('unavailable', 'connection reset', { operation });
  if (fault.kind === 'stall' && fault.afterBytes === undefined)
    throw new Refusal('timeout', 'no answer', { operation });
}

function after<Answer>(fault: Fault, call: RequestRecord, answer: Answer): Answer {
  const { operation } = call;
  if (fault.kind === 'lost-answer')
    throw new Refusal('unavailable', 'connection reset instead of an answer', { operation });
  if (fault.kind === 'corrupt-json' && !hasHead(operation))
    throw new Refusal('malformed', 'the answer is not JSON', { operation });
  if (fault.kind === 'changed-etag' && hasHead(operation)) return withEtag(answer, fault.etag);
  if (fault.kind !== 'cut' && fault.kind !== 'stall') return answer;
  const kind = fault.kind === 'cut' ? 'unavailable' : 'timeout';
  const refusal = new Refusal(kind, 'the answer was cut short', { operation });
  if (operation !== 'getObject') throw refusal;
  const download = answer as Download;
  return { ...answer, body: cut(download.body, fault.afterBytes ?? 0, refusal) };
}

function hasHead(operation: RequestRecord['operation']): boolean {
  return operation === 'getObject' || operation === 'headObject';
}

function withEtag<Answer>(answer: Answer, etag: string): Answer {
  const told = answer as ObjectHead | Download;
  return ('head' in told ? { ...told, head: { ...told.head, etag } } : { ...told, etag }) as Answer;
}

async function* cut(
  body: AsyncIterable<Uint8Array>,
  afterBytes: number,
  refusal: Refusal,
): AsyncGenerator<Uint8Array> {
  let left = afterBytes;
  for await (const piece of body) {
    if (left > 0) yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) break;
  }
  throw refusal;
}

const KINDS: Readonly<Record<number, RefusalKind>> = {
  401: 'denied',
  402: 'paused',
  403: 'denied',
  404: 'missing',
  408: 'unavailable',
  413: 'too-large',
  416: 'range-refused',
  429: 'unavailable',
  507: 'no-space',
};

function kindOf({ status, isPage }: Extract<Fault, { kind: 'status' }>, call: RequestRecord): RefusalKind {
  if (status === 404 && isPage === true) return 'unavailable';
  if (status === 400 && call.operation === 'getLink') return 'missing';
  return KINDS[status] ?? (status >= 500 ? 'unavailable' : 'rejected');
}
