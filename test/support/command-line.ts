/** What does a person at a shell see of the program? Each has a home of its own and credentials for one service. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { engineOptions } from '../../src/cli/serving/engine-options.ts';
import { putAwayDead } from '../../src/cli/found-mounts/ended-records.ts';
import { readRecordsOf } from '../../src/cli/found-mounts/mount-record.ts';
import { recordDirectories } from '../../src/cli/found-mounts/record-directories.ts';
import { findMount } from '../../src/fuse/mount-table.ts';
import { unmountDirectory } from '../../src/fuse/unmount.ts';
import { inNetwork, type NetworkNamespace } from './network-namespace.ts';
import { processesOfHome } from './processes-of-home.ts';
import { shell } from './shell.ts';
import { removeDirectory } from './remove-directory.ts';

const PROGRAM = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const BUILT_PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const LOADER = new URL('typescript-loader.mjs', import.meta.url).href;
const POLL_MS = 20;
const NO_SETTINGS = {
  PAILFS_BASE_URL: undefined,
  PAILFS_ACCESS_KEY_ID: undefined,
  PAILFS_SECRET_ACCESS_KEY: undefined,
};
/** For a mount to end once it is unmounted; what it then still waits for is a service that the test has stopped. */
const END_MS = 5_000;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServiceAddress {
  readonly baseUrl: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface Launch {
  /** Added to the home's own environment; undefined removes. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** In a mount namespace of its own, after these shell lines. */
  readonly namespaceSetup?: string;
  /** What a shell runs for `pailfs` instead of the sources. */
  readonly program?: readonly string[];
  /** Where its network is. */
  readonly network?: NetworkNamespace;
  /** On a terminal of its own, 80 columns wide, on which this is typed; stdout then has what the screen shows, stderr included. */
  readonly typed?: string;
  /** What comes on stdin, which is no terminal. */
  readonly stdin?: Uint8Array | string;
}

export class CommandLine {
  /** What a shell runs for `pailfs`. */
  static readonly words: readonly string[] = [process.execPath, '--import', LOADER, PROGRAM];
  /** As people install it; `npm run build` makes it. Nothing of a loader is in its memory. */
  static readonly builtWords: readonly string[] = [process.execPath, BUILT_PROGRAM];
  /** The same, with the engine as the process in the background has it. */
  static readonly servingWords: readonly string[] = [process.execPath, ...engineOptions(), BUILT_PROGRAM];
  readonly home: string;
  readonly mountpoint: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #children: ChildProcess[] = [];

  private constructor(home: string, environment: Readonly<Record<string, string | undefined>>) {
    this.home = home;
    this.mountpoint = join(home, 'mnt');
    this.#environment = environment;
  }

  /** At the end of the test everything is unmounted, what still runs is ended, and the home is removed. */
  static async open(service: ServiceAddress): Promise<CommandLine> {
    const home = await mkdtemp(join(tmpdir(), 'pailfs-cli-'));
    await mkdir(join(home, 'mnt'));
    const commandLine = new CommandLine(home, {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CACHE_HOME: join(home, 'cache'),
      PAILFS_BASE_URL: service.baseUrl,
      PAILFS_ACCESS_KEY_ID: service.credentials.accessKeyId,
      PAILFS_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
    });
    onTestFinished(() => commandLine.#close());
    return commandLine;
  }

  async #close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    while ((await findMount(this.mountpoint)) !== undefined) {
      await unmountDirectory(this.mountpoint, { lazy: true });
    }
    await this.#servingProcessesGone();
    const directories = await recordDirectories(process.getuid?.() ?? 0);
    await putAwayDead(directories, await readRecordsOf(directories, this.mountpoint), systemClock);
    await removeDirectory(this.home);
  }

  /** A background mount writes to its home (what it read, to the cache) until it ends: removing a folder meanwhile fails. */
  async #servingProcessesGone(): Promise<void> {
    const deadline = Date.now() + END_MS;
    for (const pid of await processesOfHome(this.home)) {
      while (Date.now() < deadline && (await isAlive(pid))) await pause(POLL_MS);
      if (await isAlive(pid)) process.kill(pid, 'SIGKILL');
      await goneProcess(pid);
    }
  }

  /** Runs `pailfs` to its end: until the process is gone and nobody holds its output any more. */
  run(words: readonly string[], launch: Launch = {}): Promise<Outcome> {
    return this.#toItsEnd(this.start(words, launch));
  }

  /** Runs `script` with sh in the home, without the settings of the service, which it is to bring. */
  shell(script: string): Promise<Outcome> {
    return this.#toItsEnd(this.#spawn(['sh', '-c', script], { environment: NO_SETTINGS }));
  }

  async #toItsEnd(child: ChildProcess): Promise<Outcome> {
    const output = { stdout: '', stderr: '' };
    child.stdout?.on('data', (data: Buffer) => (output.stdout += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (output.stderr += data.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  }

  start(words: readonly string[], launch: Launch = {}): ChildProcess {
    return this.#spawn([...(launch.program ?? CommandLine.words), ...words], launch);
  }

  #spawn(command: readonly string[], launch: Launch): ChildProcess {
    const [program = '', ...parameters] = launched(command, launch);
    const input = launch.typed ?? launch.stdin;
    const environment = Object.entries({ ...this.#environment, ...launch.environment });
    const child = spawn(program, parameters, {
      cwd: this.home,
      env: Object.fromEntries(environment.filter(([, value]) => value !== undefined)),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    // A program that ends early does not read to the end.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    this.#children.push(child);
    return child;
  }

  /** `pailfs mount … -f`, once it answers. */
  async mountInFront(words: readonly string[], launch: Launch = {}): Promise<ForegroundMount> {
    const child = this.start(['mount', ...words, '-f'], launch);
    const mount = new ForegroundMount(child);
    while (!mount.stderr.includes('Mounted')) {
      if (child.exitCode !== null) throw new Error(`the mount failed: ${mount.stderr}`);
      await pause(POLL_MS);
    }
    return mount;
  }

  isMounted(): Promise<boolean> {
    return findMount(this.mountpoint).then((mount) => mount !== undefined);
  }

  /** The one process that serves a background mount, from the log. */
  async servingProcess(): Promise<number> {
    const lines = (await this.log()).trim().split('\n');
    return (JSON.parse(lines.at(-1) ?? '') as { readonly pid: number }).pid;
  }

  log(): Promise<string> {
    const slug = this.mountpoint.slice(1).replaceAll('/', '-');
    return readFile(join(this.home, 'state', 'pailfs', 'logs', `${slug}.log`), 'utf8');
  }
}

export class ForegroundMount {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #stderr = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#closed = once(child, 'close');
    child.stderr?.on('data', (data: Buffer) => (this.#stderr += data.toString()));
  }

  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Its exit code, once it has ended and its output is complete. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }
}

/** A program of this process has written `content` into a new file of the mount, and not closed it, when that is killed. */
export async function killWhileWriting(at: CommandLine, name: string, content: string): Promise<void> {
  const pid = await at.servingProcess();
  const file = await open(join(at.mountpoint, name), 'w');
  await file.write(content);
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);
  await file.close().catch(() => undefined);
}

/** Ends the process that serves with SIGKILL, and waits until it is gone. */
export async function killServing(at: CommandLine): Promise<void> {
  const pid = await at.servingProcess();
  process.kill(pid, 'SIGKILL');
  await goneProcess(pid);
}

/** Waits until the process is gone. */
export async function goneProcess(pid: number): Promise<void> {
  while (await isAlive(pid)) await pause(POLL_MS);
}

/** Where nobody collects orphans, what is left of one that has ended still has a number: that is not alive. */
export async function isAlive(pid: number): Promise<boolean> {
  const { output } = await shell('/', `ps -o stat= -p ${pid}`);
  return output !== '' && !output.startsWith('Z');
}

function launched(command: readonly string[], { namespaceSetup, typed, network }: Launch): readonly string[] {
  if (network !== undefined) return inNetwork(network, command);
  if (typed !== undefined) return onTerminal(command);
  return namespaceSetup === undefined ? command : inNamespace(namespaceSetup, command);
}

/** script(1) makes the terminal, and ends with the exit code of what ran on it. */
function onTerminal(command: readonly string[]): string[] {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return ['script', '-qec', `stty cols 80; exec ${quoted}`, '/dev/null'];
}

/** Root may have a namespace for the asking; anybody else becomes root in one. */
function inNamespace(setup: string, command: readonly string[]): string[] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return ['unshare', ...asRoot, '--mount', 'sh', '-c', `${setup} && exec "$@"`, 'sh', ...command];
}
