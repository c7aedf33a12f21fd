/** How does a command end badly? One line for a person, and an exit code for a script. */

/** What the exit codes mean; 16 and 32 as umount(8) and mount(8) use them. */
export const exitCodes = {
  done: 0,
  /** The service, or this machine, refused. */
  failed: 1,
  /** The command line or a setting is wrong. */
  usage: 2,
  /** A program still uses the mount. */
  busy: 16,
  /** The directory could not be mounted. */
  mountFailure: 32,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The message is one sentence that names the cause and the remedy; it is printed as it is, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** A `CommandError` of wrong usage. */
export function usageError(message: string, options?: { readonly cause?: unknown }): CommandError {
  return new CommandError(exitCodes.usage, message, options);
}

export function isUsageError(error: unknown): error is CommandError {
  return error instanceof CommandError && error.exitCode === exitCodes.usage;
}

/** Squeezes a text onto one line: what libraries throw may hold several. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
