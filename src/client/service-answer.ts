/** What does the service answer to one request, when its headers are here and its body is still to be read? */
import type { RefusalDetails } from '../service/refusal.ts';
import type { AnswerBody } from './answer-body.ts';
import type { AnswerHeaders } from './object-headers.ts';
import type { Watch } from './watch.ts';

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody;
  readonly watch: Watch;
  /** Whether the service may still do an earlier try of the same call. */
  readonly followsUnknown: boolean;
  /** For a refusal of what the answer holds. */
  readonly details: RefusalDetails;
}
