/**
 * Where does a line for the operator go?
 *
 * Everything below the command line writes through this interface; which library writes the line, and where, is the
 * command line's business. Messages are constant sentences and the particulars are fields, so that repeated lines can be
 * counted instead of printed.
 */

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  /** True where lines for debugging go nowhere: who would write one for each request does not make it. */
  readonly hidesDebug?: boolean | undefined;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Swallows every line: for callers that have nobody to tell. */
export const silentLog: Log = {
  hidesDebug: true,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
