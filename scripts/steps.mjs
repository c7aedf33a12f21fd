/** How does a script run a program, and how does it end when one fails? Plain JavaScript: it runs before node_modules exists. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** One sentence for a person: what went wrong, or what to do. */
export class StepFailure extends Error {
  name = 'StepFailure';
}

/** Runs a program to its end with our output; resolves with its exit code. */
export function runVisibly(program, parameters, settings = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      ...settings,
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(signal === null ? code : 1);
    });
  });
}

/** Compiles src/ into dist/. */
export async function build() {
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const code = await runVisibly(process.execPath, [compiler, '-p', 'tsconfig.build.json']);
  if (code !== 0) throw new StepFailure('the build failed: see the lines above');
}

/** Runs a script; what people must do themselves is one line, everything else is a stack. */
export async function runScript(name, script) {
  try {
    process.exitCode = await script();
  } catch (error) {
    console.error(`${name}: ${error instanceof StepFailure ? error.message : error.stack}`);
    process.exitCode = 1;
  }
}
