/** How is a program run that is part of a measurement? Killed when it takes too long: a mount that hangs must not hang the bench. */
import { spawn } from 'node:child_process';

export interface ProgramEnd {
  readonly output: string;
  /** Wall clock, from just before it was started. */
  readonly seconds: number;
}

/** Resolves when the program ended well. Rejects when it could not be run, failed, or was killed after `limitMs`. */
export function run(program: string, parameters: readonly string[], limitMs: number): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(program, parameters, {
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const seconds = (performance.now() - start) / 1000;
      if (code === 0) resolve({ output, seconds });
      else reject(new Error(`${program} ended with ${code ?? signal ?? 'nothing'}: ${errors.trim()}`));
    });
  });
}

/** As `run`, its output to nowhere: how long it takes is all that counts. */
export async function secondsOf(
  program: string,
  parameters: readonly string[],
  limitMs: number,
): Promise<number> {
  const shell = ['-c', 'exec "$0" "$@" >/dev/null', program, ...parameters];
  return (await run('sh', shell, limitMs)).seconds;
}
