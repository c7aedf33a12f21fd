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
const TIMED_OUT = 124;

/** Runs `program` of the system's directories with messages in English. Resolves whatever its exit code. */
export function runProgram(program: string, parameters: readonly string[]): Promise<ProgramResult> {
  const settings = {
    cwd: '/',
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL' as const,
  };
  return new Promise((resolve, reject) => {
    execFile(program, parameters, settings, (error, output, errors) => {
      if (error === null) resolve({ exit: 0, output, errors });
      else if (systemErrorCode(error) === 'ENOENT') resolve({ exit: 'missing', output, errors });
      else if (typeof error.code === 'number') resolve({ exit: error.code, output, errors });
      else if (error.killed === true)
        resolve({ exit: TIMED_OUT, output, errors: `${program} took too long` });
      else reject(new Error(`${program} could not be run`, { cause: error }));
    });
  });
}
