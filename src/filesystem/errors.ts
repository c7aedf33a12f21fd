/** How does the file system say no? In POSIX terms: names of error numbers, which differ by platform and live in fuse/. */

export type ErrnoName =
  | 'EACCES'
  | 'EBADF'
  | 'EBUSY'
  | 'EDQUOT'
  | 'EEXIST'
  | 'EFBIG'
  | 'EILSEQ'
  | 'EINTR'
  | 'EINVAL'
  | 'EIO'
  | 'EISDIR'
  | 'ENAMETOOLONG'
  | 'ENFILE'
  | 'ENODATA'
  | 'ENOENT'
  | 'ENOSPC'
  | 'ENOSYS'
  | 'ENOTDIR'
  | 'ENOTEMPTY'
  | 'ENOTSUP'
  | 'EPERM'
  | 'ERANGE'
  | 'EROFS'
  | 'ESTALE'
  | 'ETIMEDOUT'
  | 'EXDEV';

/** What programs ask for in vain all day: to gather the stack of each takes longer than the rest of the answer. */
const EVERYDAY: ReadonlySet<ErrnoName> = new Set(['ENOENT', 'ENODATA', 'ENOTSUP']);

/** A refusal in the caller's terms: which POSIX error, on which path, because of what. */
export class FsError extends Error {
  override readonly name = 'FsError';
  readonly code: ErrnoName;
  readonly path: string;
  /** In words, without the path. */
  readonly reason: string;
  /** For how many more milliseconds the answer may be taken for the same: of an ENOENT, when nothing is at the path. */
  readonly validFor: number;

  constructor(
    code: ErrnoName,
    path: string,
    reason: string,
    options: { readonly cause?: unknown; readonly validFor?: number } = {},
  ) {
    const { stackTraceLimit } = Error;
    if (EVERYDAY.has(code)) Error.stackTraceLimit = 0;
    super(`${code}: ${reason}: ${path}`, 'cause' in options ? { cause: options.cause } : undefined);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.path = path;
    this.reason = reason;
    this.validFor = options.validFor ?? 0;
  }
}
