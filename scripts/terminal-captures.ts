/**
 * `npm run captures`: what do `pailfs status --watch` and `pailfs doctor` look like on a terminal of 80 columns, while a mount is
 * busy? Writes docs/captures/ from what tmux shows.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EmbeddedStore } from '../src/server/embedded-store.ts';
import { startServer, type RunningServer } from '../src/server/start-server.ts';
import type { ObjectService, UploadBody } from '../src/service/object-service.ts';
import { uploadOf } from '../test/support/embedded-service.ts';
import { InterceptedUploads } from '../test/support/intercepted-service.ts';
import { HOME, onEmptyMachine } from './empty-machine.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PAGES = join(ROOT, 'docs', 'captures');
const MOUNTPOINT = join(HOME, 'photos');
const TMUX = ['-S', join(HOME, 'tmux'), '-f', '/dev/null'];
const COLUMNS = 80;
const ROWS = 34;
const PORT = 8080;
const MEBIBYTE = 2 ** 20;
/** Of the films every one fits, of the backup nothing. */
const LARGEST = 64 * MEBIBYTE;
/** Between the pieces of a body, so that uploads last long enough to be looked at. */
const PIECE_PAUSE_MS = 12;
const SCREEN_DEADLINE_MS = 60_000;

/** Films go up slowly. */
function slowly(key: string, body: UploadBody): UploadBody {
  if (!key.startsWith('film')) return body;
  return {
    ...body,
    open: async function* () {
      for await (const piece of body.open()) {
        await pause(PIECE_PAUSE_MS);
        yield piece;
      }
    },
  };
}

/** A terminal on which a shell waits for commands. */
class Terminal {
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  static open(environment: NodeJS.ProcessEnv): Terminal {
    const terminal = new Terminal(environment);
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
    terminal.#tmux(['new-session', '-d', ...size, '-c', HOME, "exec env 'PS1=$ ' bash --noprofile --norc"]);
    return terminal;
  }

  type(line: string): void {
    this.#tmux(['send-keys', line, 'Enter']);
  }

  interrupt(): void {
    this.#tmux(['send-keys', 'C-c']);
  }

  /** What it shows once that matches `pattern`. */
  async shows(pattern: RegExp): Promise<string> {
    const deadline = Date.now() + SCREEN_DEADLINE_MS;
    for (;;) {
      const screen = this.#tmux(['capture-pane', '-p']).trimEnd();
      if (pattern.test(screen)) return `${screen}\n`;
      if (Date.now() > deadline) throw new Error(`the terminal never showed ${String(pattern)}:\n${screen}`);
      await pause(50);
    }
  }

  close(): void {
    this.#tmux(['kill-server']);
  }

  #tmux(words: readonly string[]): string {
    const { status, stdout, stderr, error } = spawnSync('tmux', [...TMUX, ...words], {
      env: this.#environment,
      encoding: 'utf8',
    });
    if (status === 0) return stdout;
    throw new Error(`tmux ${words[0] ?? ''} failed: ${error?.message ?? stderr}`);
  }
}

await onEmptyMachine(fileURLToPath(import.meta.url), capture);

async function capture(): Promise<void> {
  const store = await EmbeddedStore.open({ behaviours: { largestUpload: LARGEST } });
  const direct = store.account();
  const { bucket } = await direct.createBucket('photos');
  const server = await startServer({
    port: PORT,
    source: new InterceptedUploads(direct, slowly),
  });
  const environment = await makeHome(server);
  const terminal = Terminal.open(environment);
  try {
    await fill(direct, bucket);
    await pailfs(environment, ['mount', 'photos', MOUNTPOINT, '--write-back']);
    await mkdir(PAGES, { recursive: true });
    await beBusy();
    await writeFile(join(PAGES, 'status-watch.txt'), await watched(terminal));
    await writeFile(join(PAGES, 'doctor.txt'), await examined(terminal));
  } finally {
    terminal.close();
    // What still goes up is nobody's.
    await pailfs(environment, ['unmount', MOUNTPOINT, '--leave-pending'], [0, 1]);
    await server.close();
    await store.close();
  }
}

/** A person's home: a config file, `pailfs` in the search path, and a place for the mount. */
async function makeHome({ baseUrl, credentials }: RunningServer): Promise<NodeJS.ProcessEnv> {
  const commands = join(HOME, 'bin');
  const config = join(HOME, '.config', 'pailfs');
  for (const folder of [MOUNTPOINT, commands, config]) await mkdir(folder, { recursive: true });
  await symlink(join(ROOT, 'dist', 'cli', 'main.js'), join(commands, 'pailfs'));
  const { accessKeyId, secretAccessKey } = credentials;
  const settings = { base_url: baseUrl, access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  await writeFile(join(config, 'config.toml'), `[default]\n${lines.join('')}`, { mode: 0o600 });
  const path = `${commands}:${process.env['PATH'] ?? ''}`;
  return { PATH: path, HOME, TERM: 'screen', LANG: 'C.UTF-8' };
}

async function fill(service: ObjectService, bucket: string): Promise<void> {
  for (const name of ['cat', 'dog', 'hen']) {
    await service.putObject(bucket, `animals/${name}.jpg`, uploadOf(Buffer.alloc(MEBIBYTE, name)));
  }
  await service.putObject(bucket, 'animals//no-name.jpg', uploadOf('a key that no directory can show'));
}

/** Files are read, one cannot be stored, and three go up. */
async function beBusy(): Promise<void> {
  const folder = join(MOUNTPOINT, 'animals');
  for (const name of ['cat.jpg', 'dog.jpg', 'cat.jpg']) await readFile(join(folder, name));
  await readdir(folder);
  await writeFile(join(MOUNTPOINT, 'backup.tar'), Buffer.alloc(LARGEST + 1));
  for (const [name, size] of [
    ['film-1.mp4', 60],
    ['film-2.mp4', 40],
    ['film-3.mp4', 20],
  ] as const) {
    await writeFile(join(MOUNTPOINT, name), Buffer.alloc(size * MEBIBYTE, name));
  }
}

async function watched(terminal: Terminal): Promise<string> {
  terminal.type('clear; pailfs status ~/photos --watch');
  const screen = await terminal.shows(/[3-9]\d% of .*[3-9]\d% of/s);
  terminal.interrupt();
  return screen;
}

async function examined(terminal: Terminal): Promise<string> {
  terminal.type('clear; pailfs doctor');
  return terminal.shows(/^\$? ?CHECK[^$]*\n\$$/);
}

/** `codes`: those that it may end with. */
async function pailfs(
  environment: NodeJS.ProcessEnv,
  words: readonly string[],
  codes: readonly (number | null)[] = [0],
): Promise<void> {
  const child = spawn(join(HOME, 'bin', 'pailfs'), words, { env: environment, stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (!codes.includes(code)) throw new Error(`pailfs ${words.join(' ')} ended with ${code}`);
}
