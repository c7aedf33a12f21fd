/** How is one of the system's mount programs run that inherits a descriptor of ours? */
import { spawn } from 'node:child_process';
import { systemErrorCode } from '../../base/errors.ts';
import { MountError } from '../driver.ts';
import { SYSTEM_PATH } from '../run-program.ts';

/** The number that the descriptor has in the program. */
export const INHERITED = 3;
const TIME_LIMIT_MS = 20_000;

export interface InheritingProgram {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly descriptor: number;
  /** Beside the search path and the language. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ProgramEnd {
  /** `missing` when the machine has no such program; null when it was killed, e.g. for taking too long. */
  readonly exit: number | null | 'missing';
  readonly errors: string;
}

/** mount(8) takes a source that names something in its directory for a path, as `srv` in `/`: here all names are numbers of threads. */
const DIRECTORY = '/proc/self/task';

/** Resolves whatever the exit code, with messages in English. Rejects with a `MountError` when it cannot be run. */
export function runInheriting(order: InheritingProgram): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const program = spawn(order.program, order.parameters, {
      cwd: DIRECTORY,
      env: { PATH: SYSTEM_PATH, LC_ALL: 'C', ...order.environment },
      stdio: ['ignore', 'ignore', 'pipe', order.descriptor],
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let errors = '';
    program.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    program.once('error', (error) => {
      if (systemErrorCode(error) === 'ENOENT') resolve({ exit: 'missing', errors });
      else
        reject(new MountError('failed', `the program ${order.program} could not be run`, { cause: error }));
    });
    program.once('close', (exit) => {
      resolve({ exit, errors });
    });
  });
}

/** The last thing the program said, without its name. */
export function lastWords({ errors }: ProgramEnd, program: string): string {
  const line = errors.trim().split('\n').at(-1) ?? '';
  return line.startsWith(`${program}: `) ? line.slice(program.length + 2) : line;
}
