/**
 * How are the types of a module stripped? As a `load` hook of Node; the result is kept under node_modules/.cache, so that the next
 * process need not load the compiler.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { URL, fileURLToPath } from 'node:url';

const CACHE = new URL('../../node_modules/.cache/pailfs-typescript/', import.meta.url);
const READABLE = 0o644;

/** Node's `load` hook. */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  return { format: 'module', shortCircuit: true, source: await compiled(url, source) };
}

async function compiled(url, source) {
  const cached = new URL(`${createHash('sha256').update(`${url}\n${source}`).digest('hex')}.js`, CACHE);
  try {
    return await readFile(cached, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const text = await compile(url, source);
  await keep(cached, text);
  return text;
}

async function keep(cached, text) {
  const unfinished = new URL(`${cached.href}.${process.pid}`);
  try {
    await mkdir(CACHE, { recursive: true });
    await writeFile(unfinished, text);
    // Whatever the umask by now: a process that serves a mount loads some modules late, and tests run as other users, too.
    await chmod(unfinished, READABLE);
    await rename(unfinished, cached);
  } catch (error) {
    // Another user's checkout: then each process compiles for itself.
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
}

async function compile(url, source) {
  const { default: typescript } = await import('typescript');
  const { ModuleKind, ScriptTarget, transpileModule } = typescript;
  const { outputText } = transpileModule(source, {
    fileName: fileURLToPath(url),
    compilerOptions: {
      target: ScriptTarget.ES2022,
      module: ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      inlineSourceMap: true,
    },
  });
  return outputText;
}
