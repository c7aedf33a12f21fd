/** How does a test run a program and see what it printed and how it ended? */
import { execFile } from 'node:child_process';

export interface ShellResult {
  readonly exit: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs `script` with sh in `folder`, messages in English; `$1`… are `parameters`. Resolves whatever the exit code. */
export function shell(folder: string, script: string, ...parameters: string[]): Promise<ShellResult> {
  const settings = { cwd: folder, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('sh', ['-c', script, 'sh', ...parameters], settings, (error, output, errors) => {
      const exit = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exit, output, errors });
    });
  });
}
