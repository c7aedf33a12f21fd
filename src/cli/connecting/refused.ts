/** Why does the service not do what a command asks? One sentence, with the remedy where there is one. */
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { isOfUnknownEnd, isRefusal, type Operation, type Refusal } from '../../service/refusal.ts';
import { VersionChanged } from '../../store/range-reader.ts';
import { CommandError, exitCodes, oneLine } from '../command-error.ts';

/** Those that need more than the right to read (§4, table). */
const CHANGES: ReadonlySet<Operation> = new Set([
  'createBucket',
  'deleteBucket',
  'createFolder',
  'putObject',
  'deleteObject',
  'setVisibility',
]);

/** What a change ends with of which nobody knows whether the service has done it. */
export class EndUnknown extends CommandError {}

/** Whether the service may have done the change that ended with `error`, or may still do it. */
export function mayBeDone(error: unknown): boolean {
  return (
    error instanceof EndUnknown || (isRefusal(error) && CHANGES.has(error.operation) && isOfUnknownEnd(error))
  );
}

/** Begins with `what`, which says what did not happen: "photos:a.txt is not deleted". What nobody foresaw is returned as it is. */
export function refused(what: string, error: unknown): unknown {
  const reason = reasonOf(error);
  if (reason === undefined) return error;
  return new CommandError(exitCodes.failed, `${what}: ${oneLine(reason)}`, { cause: error });
}

/** Undefined for what nobody foresaw: a fault of ours. `about`: a file that is named already. */
export function reasonOf(error: unknown, about?: string): string | undefined {
  if (error instanceof CommandError) return error.message;
  if (error instanceof VersionChanged) return 'somebody replaced it meanwhile; try again';
  if (isRefusal(error)) return reasonOfRefusal(error, about);
  return systemErrorCode(error) === undefined ? undefined : inWords(error, about);
}

function reasonOfRefusal(refusal: Refusal, about: string | undefined): string {
  const { kind, reason, status, operation, cause } = refusal;
  const number = status === undefined ? '' : ` (${status})`;
  switch (kind) {
    case 'missing':
      return 'it does not exist';
    case 'denied':
      return CHANGES.has(operation)
        ? `these credentials may not do that${number}: use credentials that may write`
        : `the service refuses the credentials${number}: check PAILFS_ACCESS_KEY_ID and PAILFS_SECRET_ACCESS_KEY, the config file, or what the credentials file or command gives`;
    case 'paused':
      return `the account is in a grace period and uploads are paused${number}: settle that with the service, then try again`;
    case 'unavailable':
    case 'timeout':
      return `the service is not available (${reason}): try again later`;
    case 'malformed':
      return `the service answers in a way that the interface does not know (${reason}): check --base-url`;
    case 'aborted':
      return cause === undefined ? reason : inWords(cause, about);
    case 'stale-bookmark':
      return `the listing changed too often (${reason}): try again`;
    case 'too-large':
    case 'no-space':
    case 'range-refused':
    case 'rejected':
      return reason;
  }
}
