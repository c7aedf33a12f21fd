/** What is one request of the port, before it has a connection? */
import type { UploadBody } from '../service/object-service.ts';
import { Refusal } from '../service/refusal.ts';
import type { RefusalDetails } from '../service/refusal.ts';
import { UnusableNameError } from './paths.ts';
import type { Asked } from './refusals.ts';

/** One request, before it has a connection. */
export interface Ask extends Asked {
  /** The bucket identifier and key or folder concerned, for the log. */
  readonly subject: string;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Path and query, raw, without the base URL's prefix. May throw for a name that no path can carry. */
  readonly path: () => string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a JSON body. */
  readonly document?: unknown;
  readonly upload?: UploadBody;
  /** Whoever reads the answer's body is done with each piece when he asks for the next. */
  readonly isReadAtOnce?: boolean;
}

/** What every refusal of the request says. */
export function detailsOf(ask: Ask): RefusalDetails {
  return { operation: ask.operation, subject: ask.subject };
}

/** Raw. Throws a `Refusal` for a name that no path can carry. */
export function pathOf(ask: Ask): string {
  try {
    return ask.path();
  } catch (cause) {
    const reason = cause instanceof UnusableNameError ? cause.message : 'the name is not valid Unicode';
    throw new Refusal('rejected', reason, { ...detailsOf(ask), cause });
  }
}
