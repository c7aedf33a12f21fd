/** Are a C compiler and libfuse's headers there, and what do they make of the C programs beside this file? */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../frame/programs.ts';
import { makeFolder } from '../frame/temporary-folder.ts';

const LIMIT_MS = 60_000;

/** What could be made; it goes when everything is undone. Undefined: not here, `notes` say why. */
export interface CompiledPrograms {
  readonly caller: string | undefined;
  readonly memoryTree: string | undefined;
  readonly notes: readonly string[];
}

/** Compiles what can be; never rejects because of a missing compiler. */
export async function compilePrograms(): Promise<CompiledPrograms> {
  const folder = makeFolder('programs').path;
  const notes: string[] = [];
  const attempt = async (name: string, without: string): Promise<string | undefined> => {
    const source = fileURLToPath(new URL(`./${name}.c`, import.meta.url));
    const program = path.join(folder, name);
    try {
      const flags = name === 'memory-tree' ? await fuseFlags() : [];
      await run('cc', ['-O2', '-Wall', '-pthread', '-o', program, source, ...flags], LIMIT_MS);
      return program;
    } catch (error) {
      notes.push(`${name}.c could not be compiled, ${without}: ${firstLine(error)}`);
      return undefined;
    }
  };
  return {
    caller: await attempt('caller', 'so threads of Node made the calls'),
    memoryTree: await attempt('memory-tree', 'so C was left out (Debian: gcc, pkg-config, libfuse3-dev)'),
    notes,
  };
}

async function fuseFlags(): Promise<readonly string[]> {
  const { output } = await run('pkg-config', ['--cflags', '--libs', 'fuse3'], LIMIT_MS);
  return output.trim().split(/\s+/);
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
