/**
 * What does a person at a screen see and do? A display that nobody looks at (Xvfb), a window manager, a session bus, and a home; keys are
 * pressed by xdotool. All programs of the home are gone at the end, also those that the bus started.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, type Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcessesOf } from './processes-of-home.ts';
import { shell, type ShellResult } from './shell.ts';

const POLL_MS = 100;
const SCREEN = '900x600x24';
const DEADLINE_MS = 60_000;

export class DesktopSession {
  readonly home: string;
  readonly #as: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(home: string, as: readonly string[]) {
    this.home = home;
    this.#as = as;
    this.#environment = {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_RUNTIME_DIR: join(home, 'run'),
      LANG: 'C.UTF-8',
      GDK_BACKEND: 'x11',
      NO_AT_BRIDGE: '1',
    };
  }

  /** `home`: exists, and is nobody else's. `as`: what stands before each program, to run it as somebody else. To be closed. */
  static async open(home: string, as: readonly string[] = []): Promise<DesktopSession> {
    const session = new DesktopSession(home, as);
    try {
      await session.#begin();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async #begin(): Promise<void> {
    await mkdir(join(this.home, 'run'), { mode: 0o700 });
    const screen = ['-displayfd', '3', '-screen', '0', SCREEN, '-nolisten', 'tcp'];
    const display = this.start('Xvfb', screen, ['ignore', 'ignore', 'ignore', 'pipe']);
    this.#environment['DISPLAY'] = `:${await firstLine(display, display.stdio[3])}`;
    const bus = this.start(
      'dbus-daemon',
      ['--session', '--print-address', '--nofork', '--nopidfile'],
      ['ignore', 'pipe', 'ignore'],
    );
    this.#environment['DBUS_SESSION_BUS_ADDRESS'] = await firstLine(bus, bus.stdio[1]);
    this.start('openbox', []);
    await this.until('a window manager', async () => {
      const { exit } = await this.#shell('xprop -root _NET_SUPPORTING_WM_CHECK | grep -q window', []);
      return exit === 0;
    });
  }

  async close(): Promise<void> {
    await endProcessesOf(this.home);
  }

  start(program: string, parameters: readonly string[], stdio: StdioOptions = 'ignore'): ChildProcess {
    const [first = program, ...words] = [...this.#as, program, ...parameters];
    return spawn(first, words, { env: this.#environment, cwd: this.home, stdio });
  }

  /** Runs `script` with sh to its end. Rejects unless it ends with 0; resolves with what it printed. */
  async run(script: string, ...parameters: string[]): Promise<string> {
    const result = await this.#shell(script, parameters);
    if (result.exit === 0) return result.output;
    throw new Error(`${script} ${parameters.join(' ')}: ${result.errors}`);
  }

  /** Resolves when a window with such a title (a regular expression) is there and has the keyboard. */
  async focus(title: string): Promise<void> {
    await this.until(`a window ${title}`, async () => {
      const { exit } = await this.#shell(
        'timeout 10 xdotool search --onlyvisible --name "$1" windowactivate --sync',
        [title],
      );
      return exit === 0;
    });
  }

  /** As xdotool names them: `ctrl+c`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.run('xdotool key --clearmodifiers "$1"', key);
      await pause(POLL_MS);
    }
  }

  async type(text: string): Promise<void> {
    await this.run('xdotool type --clearmodifiers --delay 20 -- "$1"', text);
  }

  async until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error(`never came: ${what}`);
      await pause(POLL_MS);
    }
  }

  #shell(script: string, parameters: string[]): Promise<ShellResult> {
    const settings = Object.entries(this.#environment).map(([name, value]) => `${name}=${value ?? ''}`);
    return shell('/', 'exec env -i "$@"', ...settings, 'sh', '-c', script, 'sh', ...parameters);
  }
}

async function firstLine(
  child: ChildProcess,
  stream: Readable | Writable | null | undefined,
): Promise<string> {
  if (!(stream instanceof Readable)) throw new Error(`${child.spawnfile} has no output`);
  const lines = createInterface({ input: stream });
  const ends = [once(lines, 'line'), once(child, 'close'), once(child, 'error')];
  const [line] = (await Promise.race(ends)) as [unknown];
  if (typeof line === 'string') return line;
  throw new Error(`${child.spawnfile} does not start: ${String(line)}`);
}
