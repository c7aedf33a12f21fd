/** What does an answer say that is no success? Its status, the words of its document, and how long to wait. */
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../service/refusal.ts';
import { readJson } from './answer-body.ts';
import type { Ask } from './ask.ts';
import type { Authorization } from './credentials.ts';
import { parseHttpDate } from './dates.ts';
import { headerOf } from './object-headers.ts';
import { kindOfStatus, reasonOfStatus } from './refusals.ts';
import { parseRetryAfter } from './retry.ts';
import type { ServiceAnswer } from './service-answer.ts';

/** Error documents are short; a page of HTML from a proxy need not be read to its end. */
const ERROR_DOCUMENT_LIMIT = 64 * 1024;

/** Of an `answer` to what was sent under `used`, which no word of the refusal shows. Rejects with why the call was given up meanwhile. */
export async function refusalOfAnswer(
  ask: Ask,
  answer: ServiceAnswer,
  used: Authorization,
  clock: Pick<Clock, 'now'>,
): Promise<Refusal> {
  const { status, headers, watch, body, details, followsUnknown } = answer;
  const document = await readJson(body, ERROR_DOCUMENT_LIMIT, details).catch((error: unknown) => {
    if (watch.refusal?.kind === 'aborted') throw error;
    // The status says enough, also when our patience ends here; the text only explains it.
    return null;
  });
  const answered = { status, isPage: document === null && hasTypeOfPage(answer) };
  const serviceNow = parseHttpDate(headerOf(headers, 'date'))?.getTime() ?? clock.now();
  return new Refusal(
    kindOfStatus(ask, answered),
    reasonOfStatus(answered, document, (text) => used.redact(text)),
    {
      ...details,
      ...answered,
      retryAfter: parseRetryAfter(headerOf(headers, 'retry-after'), serviceNow),
      followsUnknown,
    },
  );
}

/** Some services say so of each answer. */
function hasTypeOfPage({ headers }: ServiceAnswer): boolean {
  return /^text\/html\b/i.test(headerOf(headers, 'content-type') ?? '');
}
