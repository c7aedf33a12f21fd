/** Which POSIX error is a refusal of the service? The one place where it is decided. */
import { inWords, systemErrorCode } from '../base/errors.ts';
import { Interrupted } from '../base/waiter.ts';
import { Refusal, isOfUnknownEnd, isRefusal } from '../service/refusal.ts';
import { VersionChanged } from '../store/range-reader.ts';
import { FsError, type ErrnoName } from './errors.ts';

/** A new kind of refusal does not compile until it is answered here. */
export function errnoOf(refusal: Refusal): ErrnoName {
  switch (refusal.kind) {
    case 'missing':
      return isOfBucket(refusal) ? 'EIO' : 'ENOENT';
    case 'denied':
      return 'EACCES';
    case 'paused':
      return 'EDQUOT';
    case 'too-large':
      return 'EFBIG';
    case 'no-space':
      return 'ENOSPC';
    case 'rejected':
      return refusal.status === 400 ? 'EINVAL' : 'EIO';
    case 'timeout':
      return 'ETIMEDOUT';
    // Who is interrupted hears of it before the request does (`Interrupted`): left are bytes that the local disk did not give.
    case 'aborted':
    case 'stale-bookmark':
    case 'range-refused':
    case 'unavailable':
    case 'malformed':
      return 'EIO';
  }
}

/**
 * Whether it is the bucket that a 404 says is missing. A PUT creates what is missing, and of a listing only the top's comes this far (walk.ts), which
 * every bucket has. Where readdir(3) meets ENOENT it ends without an error, and all files would seem to be gone: `rsync --delete` would
 * remove them from a backup.
 */
export function isOfBucket({ kind, operation }: Refusal): boolean {
  return kind === 'missing' && (operation === 'putObject' || operation === 'listObjects');
}

/** Whether asking again later may help: then the bytes wait at their path; otherwise they are set aside. */
export function isPassing(thrown: unknown): boolean {
  if (thrown instanceof FsError) return thrown.code !== 'ESTALE';
  if (!(thrown instanceof Refusal)) return true;
  switch (thrown.kind) {
    case 'missing':
    case 'denied':
    case 'too-large':
    case 'rejected':
      return false;
    case 'paused':
    case 'no-space':
    case 'timeout':
    case 'aborted':
    case 'stale-bookmark':
    case 'range-refused':
    case 'unavailable':
    case 'malformed':
      return true;
  }
}

/** Whether the service has told nothing of what it was asked about, and may later: what is known here is all that is known then. */
export function isUnanswered(thrown: unknown): boolean {
  return isRefusal(thrown) && isPassing(thrown);
}

/** Whether the service may have done what it was asked, though it did not say so. */
export function mayHaveBeenDone(thrown: unknown): boolean {
  return isOfUnknownEnd(thrown) || (isRefusal(thrown, 'aborted') && !thrown.neverSent);
}

/** The bytes are stored under `path`, but `failure` kept them from being public: EIO when it was that somebody else's are there. */
export function visibilityError(path: string, failure: unknown): FsError {
  const code = failure instanceof Refusal && failure.kind !== 'missing' ? errnoOf(failure) : 'EIO';
  const reason = `stored, but its visibility could not be restored: ${reasonOf(failure)}`;
  return new FsError(code, path, reason, { cause: failure });
}

/** Why it failed, for a person: without operations of the service, and without the codes of this machine. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof FsError) return thrown.reason;
  if (!(thrown instanceof Refusal)) return inWords(thrown);
  // The local disk did not give the bytes: why, is with the cause.
  return thrown.kind === 'aborted' && thrown.cause !== undefined
    ? `${thrown.reason} (${inWords(thrown.cause)})`
    : thrown.reason;
}

/** What is told of a file, one of whose writes the local disk refused with `code`: its bytes are not to be stored. */
export function cutBy(code: string, path: string): FsError {
  const error = toFsError(Object.assign(new Error('a write to the local disk failed'), { code }), path);
  return new FsError(error.code, path, `a write failed, so the file is not stored: ${error.reason}`);
}

/** Any thrown value as an `FsError` about `path`. */
export function toFsError(thrown: unknown, path: string): FsError {
  if (thrown instanceof FsError) return thrown;
  if (thrown instanceof Interrupted) return new FsError('EINTR', path, 'interrupted', { cause: thrown });
  if (thrown instanceof Refusal)
    return new FsError(errnoOf(thrown), path, reasonOf(thrown), { cause: thrown });
  if (thrown instanceof VersionChanged) {
    return new FsError('ESTALE', path, 'the file was replaced by somebody else', { cause: thrown });
  }
  const code = systemErrorCode(thrown);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new FsError('ENOSPC', path, 'no space for drafts in the state directory', { cause: thrown });
  }
  if (code === 'EFBIG') {
    return new FsError('EFBIG', path, 'too large for a file in the state directory', { cause: thrown });
  }
  // The limit of this process, which for the program is the system that it asks.
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new FsError('ENFILE', path, 'the mount may have no more files open (ulimit -n)', {
      cause: thrown,
    });
  }
  return new FsError('EIO', path, inWords(thrown), { cause: thrown });
}
