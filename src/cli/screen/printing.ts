/** What becomes of a command when what it prints reaches nobody? */
import { inWords, systemErrorCode } from '../../base/errors.ts';
import { CommandError, exitCodes } from '../command-error.ts';

/** What an action ends with that cannot go on since stdout takes nothing: no more is said of it than `whilePrinting` does. */
export class PrintingEnded extends Error {
  override readonly name = 'PrintingEnded';
}

/**
 * Runs `action`, to its end also when nobody reads any more (`pailfs ls photos | head -1`): who asked for a change does not mean
 * half of it. Rejects as `action` does, and with a `CommandError` when what it prints cannot be written for another reason.
 */
export async function whilePrinting<Result>(action: () => Promise<Result>): Promise<Result> {
  let failure: unknown;
  const failed = (error: unknown): void => {
    if (systemErrorCode(error) !== 'EPIPE') failure = error;
  };
  process.stdout.on('error', failed);
  process.stderr.on('error', unsaid);
  try {
    const result = await action();
    await allWritten();
    if (failure === undefined) return result;
  } catch (error) {
    await allWritten();
    if (failure === undefined || !(error instanceof PrintingEnded)) throw error;
  } finally {
    process.stdout.off('error', failed);
    process.stderr.off('error', unsaid);
  }
  throw new CommandError(
    exitCodes.failed,
    `what this command prints cannot be written (${inWords(failure)}): see where its output goes`,
    { cause: failure },
  );
}

/** Runs `say`, whose words on stderr are the last ones. Resolves when they are read, or at once where nobody reads. */
export async function saidToTheEnd(say: () => void): Promise<void> {
  process.stderr.on('error', unsaid);
  try {
    say();
    await allWritten([process.stderr]);
  } finally {
    process.stderr.off('error', unsaid);
  }
}

/** Where even errors cannot be said there is nobody to say that to. */
function unsaid(): void {
  // Without a listener it would end the process.
}

/**
 * A pipe takes 64 KiB at once and the rest as it is read, and a write that fails says so in a later turn; the process is ended when
 * its command has ended.
 */
async function allWritten(streams = [process.stdout, process.stderr]): Promise<void> {
  await Promise.all(streams.map(lastWritten));
  await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves also when nobody reads: its `error` says that. */
function lastWritten(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });
}
