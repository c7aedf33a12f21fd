/** How is one of the system's mount programs run? Never through a shell, and never from inside a mount. */
import { execFile } from 'node:child_process';
import { systemErrorCode } from '../base/errors.ts';

export interface ProgramResult {
  /** `missing` when the machine has no such program; 124 when it was stopped for taking too long. */
  readonly exit: number | 'missing';
  readonly output: string;
  readonly errors: string;
}

/** Spawning waits for the exec in this thread, so a search path that leads into our own mount would never return. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const TIME_LIMIT_MS = 60_000;
export const TIMED_OUT = 124;
/** For one that was killed: what waits for a mount may not be able to die. */
const LAST_WAIT_MS = 1000;

/** Runs `program` of the system's directories with messages in English. Resolves whatever its exit code, in `limit` milliseconds. */
export function runProgram(
  program: string,
  parameters: readonly string[],
  limit = TIME_LIMIT_MS,
): Promise<ProgramResult> {
  const settings = {
    cwd: '/',
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    timeout: limit,
    killSignal: 'SIGKILL' as const,
  };
  return new Promise((resolve, reject) => {
    const tooLong = { exit: TIMED_OUT, output: '', errors: `${program} took too long` };
    const child = execFile(program, parameters, settings, (error, output, errors) => {
      clearTimeout(end);
      if (error === null) resolve({ exit: 0, output, errors });
      else if (systemErrorCode(error) === 'ENOENT') resolve({ exit: 'missing', output, errors });
      else if (typeof error.code === 'number') resolve({ exit: error.code, output, errors });
      else if (error.killed === true) resolve(tooLong);
      else reject(new Error(`${program} could not be run`, { cause: error }));
    });
    const end = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
      resolve(tooLong);
    }, limit + LAST_WAIT_MS);
  });
}
