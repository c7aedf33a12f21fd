/**
 * Which local directory is this mount's own?
 *
 * `<state>/<hash of base URL, access key id, bucket>/<n>/`, where `n` is claimed by a listening unix socket beside it: a
 * refused connection means a dead owner, so there are no time limits and nothing to clean after a crash.
 *
 * The difficulty: two processes that both find a dead socket must not both replace it. So a socket is never replaced. Each
 * claim has a number one higher than the dead one it follows (`<n>.<generation>.sock`), is made under a private name while it
 * already listens, and gets its name by link(2), which fails when the name is taken. Only lower generations are removed, and
 * only after a higher one is there; who then finds a generation above its own has lost and looks again.
 */
import { createHash } from 'node:crypto';
import { link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';

const DIRECTORY_MODE = 0o700;
/** More parallel mounts of one bucket by one user are a mistake in a script. */
const MAX_CLAIMS = 1000;
const HASH_LENGTH = 16;

export interface StateOwner {
  readonly baseUrl: string;
  readonly accessKeyId: string;
  /** Identifier. */
  readonly bucket: string;
}

export interface StateDirectory {
  /** Absolute path; 0700; nobody else's while this process lives. */
  readonly path: string;
  /** Directories of dead mounts of this bucket in whose `drafts` files wait. */
  readonly leftovers: readonly string[];
  /** Ends the claim. A process that dies ends it as well. */
  release(): Promise<void>;
}

/** Claims the first directory that nobody owns and that holds no unsent bytes. Rejects as node:fs does (`ENOSPC`, `EACCES`). */
export async function claimStateDirectory(stateHome: string, owner: StateOwner): Promise<StateDirectory> {
  const bucketHome = join(stateHome, stateHash(owner));
  await mkdir(bucketHome, { recursive: true, mode: DIRECTORY_MODE });
  const sockets = await SocketFolder.open(bucketHome);
  try {
    const leftovers: string[] = [];
    for (let n = 0; n < MAX_CLAIMS; n += 1) {
      const server = await claim(sockets, n);
      if (server === undefined) continue;
      const path = join(bucketHome, String(n));
      await mkdir(path, { recursive: true, mode: DIRECTORY_MODE });
      if (!(await holdsDrafts(path))) {
        leftovers.push(...(await deadDraftsAbove(sockets, bucketHome, n)));
        return { path, leftovers, release: () => closeServer(server) };
      }
      leftovers.push(path);
      await closeServer(server);
    }
    throw new Error(
      `more than ${MAX_CLAIMS} mounts of this bucket, or folders with unsent files, in ${bucketHome}`,
    );
  } finally {
    await sockets.close();
  }
}

function stateHash(owner: StateOwner): string {
  const named = JSON.stringify([owner.baseUrl, owner.accessKeyId, owner.bucket]);
  return createHash('sha256').update(named).digest('hex').slice(0, HASH_LENGTH);
}

async function deadDraftsAbove(sockets: SocketFolder, bucketHome: string, own: number): Promise<string[]> {
  const dead: string[] = [];
  for (const name of await readdir(bucketHome)) {
    if (!/^\d+$/.test(name) || Number(name) <= own) continue;
    const path = join(bucketHome, name);
    if ((await holdsDrafts(path)) && !(await sockets.isAlive(Number(name)))) dead.push(path);
  }
  return dead;
}

async function holdsDrafts(directory: string): Promise<boolean> {
  try {
    return (await readdir(join(directory, 'drafts'))).length > 0;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** A listening server, or undefined when somebody alive owns `n`. */
async function claim(sockets: SocketFolder, n: number): Promise<Server | undefined> {
  for (;;) {
    const highest = await sockets.highestGeneration(n);
    if (highest > 0 && (await sockets.answers(n, highest))) return undefined;
    const generation = highest + 1;
    const server = await sockets.listen(n, generation);
    if (server === undefined) continue;
    if ((await sockets.highestGeneration(n)) === generation) {
      await sockets.removeBelow(n, generation);
      return server;
    }
    await closeServer(server);
    await sockets.remove(n, generation);
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}

/** The sockets of one bucket's directories. */
class SocketFolder {
  readonly #path: string;
  /** Short enough for a socket address (108 bytes on Linux, 104 on macOS), however deep the directory lies. */
  readonly #address: string;
  readonly #close: () => Promise<void>;

  private constructor(path: string, address: string, close: () => Promise<void>) {
    this.#path = path;
    this.#address = address;
    this.#close = close;
  }

  static async open(path: string): Promise<SocketFolder> {
    if (process.platform !== 'linux') return new SocketFolder(path, path, () => Promise.resolve());
    const handle = await open(path, 'r');
    return new SocketFolder(path, `/proc/self/fd/${handle.fd}`, () => handle.close());
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** 0 when there was never a claim of `n`. */
  async highestGeneration(n: number): Promise<number> {
    return Math.max(0, ...(await this.#generations(n)));
  }

  async isAlive(n: number): Promise<boolean> {
    const highest = await this.highestGeneration(n);
    return highest > 0 && (await this.answers(n, highest));
  }

  answers(n: number, generation: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const connection = createConnection(join(this.#address, socketName(n, generation)));
      connection.on('connect', () => {
        connection.destroy();
        resolve(true);
      });
      connection.on('error', (error) => {
        // ENOENT: a higher generation came and removed it; the caller's next look finds that one.
        if (['ECONNREFUSED', 'ENOENT', 'ECONNRESET'].includes(systemErrorCode(error) ?? '')) resolve(false);
        else reject(error);
      });
    });
  }

  /** Undefined when somebody else took this generation first. */
  async listen(n: number, generation: number): Promise<Server | undefined> {
    const temporary = `${n}.${process.pid}.${Math.random().toString(36).slice(2, 10)}.new`;
    const server = await listenAt(join(this.#address, temporary));
    try {
      await link(join(this.#path, temporary), join(this.#path, socketName(n, generation)));
      return server;
    } catch (error) {
      await closeServer(server);
      if (systemErrorCode(error) === 'EEXIST') return undefined;
      throw error;
    } finally {
      await rm(join(this.#path, temporary), { force: true });
    }
  }

  remove(n: number, generation: number): Promise<void> {
    return rm(join(this.#path, socketName(n, generation)), { force: true });
  }

  async removeBelow(n: number, generation: number): Promise<void> {
    for (const lower of await this.#generations(n)) if (lower < generation) await this.remove(n, lower);
  }

  async #generations(n: number): Promise<number[]> {
    const generations: number[] = [];
    for (const name of await readdir(this.#path)) {
      const match = /^(\d+)\.(\d+)\.sock$/.exec(name);
      if (match !== null && Number(match[1]) === n) generations.push(Number(match[2]));
    }
    return generations;
  }
}

function socketName(n: number, generation: number): string {
  return `${n}.${generation}.sock`;
}

function listenAt(address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => {
      connection.destroy();
    });
    server.on('error', reject);
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });
}
