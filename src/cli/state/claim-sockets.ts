/**
 * Who owns a name in a local directory? Whoever listens on the socket of that name. A refused connection means a dead owner, so
 * there are no time limits and nothing to clean after a crash.
 *
 * The difficulty: two processes that both find a dead socket must not both replace it. So a socket is never replaced. Each
 * claim has a number one higher than the dead one it follows (`<name>.<generation>.sock`), is made under a private name while
 * it already listens, and gets its name by link(2), which fails when the name is taken. Only lower generations are removed, and
 * only after a higher one is there; who then finds a generation above its own has lost and looks again.
 */
import { link, open, readdir, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';

/** A name that is this process's until `release`, or until it dies. */
export interface Claim {
  release(): Promise<void>;
}

/** What a connection meets when nobody is there. ENOENT: a higher generation came and removed the socket. */
const NOBODY = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET']);

/** The claims below one directory. `close` ends no claim. */
export class ClaimSockets {
  readonly #path: string;
  /** Short enough for a socket address (108 bytes on Linux, 104 on macOS), however deep the directory lies. */
  readonly #address: string;
  readonly #close: () => Promise<void>;
  readonly #random: () => number;

  private constructor(path: string, address: string, close: () => Promise<void>, random: () => number) {
    this.#path = path;
    this.#address = address;
    this.#close = close;
    this.#random = random;
  }

  /** `random`: at least 0 and less than 1. Rejects as node:fs does. */
  static async open(path: string, random: () => number = Math.random): Promise<ClaimSockets> {
    if (process.platform !== 'linux') return new ClaimSockets(path, path, () => Promise.resolve(), random);
    const handle = await open(path, 'r');
    return new ClaimSockets(path, `/proc/self/fd/${handle.fd}`, () => handle.close(), random);
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Undefined when somebody alive owns `name` (letters and digits). */
  async claim(name: string): Promise<Claim | undefined> {
    for (;;) {
      const generation = (await this.#highestGeneration(name)) + 1;
      if (generation > 1 && (await this.#isAlive(name, generation - 1))) return undefined;
      const claim = await this.#listen(name, generation);
      if (claim === undefined) continue;
      if ((await this.#highestGeneration(name)) === generation) {
        await this.#removeBelow(name, generation);
        return claim;
      }
      await claim.release();
      await this.#remove(name, generation);
    }
  }

  /** Whether somebody alive owns `name`. */
  async isOwned(name: string): Promise<boolean> {
    const highest = await this.#highestGeneration(name);
    return highest > 0 && (await this.#isAlive(name, highest));
  }

  /** As `claim`, but waits until whoever owns it lets go or dies. */
  async claimInTurn(name: string): Promise<Claim> {
    for (;;) {
      const claim = await this.claim(name);
      if (claim !== undefined) return claim;
      await this.#endOfOwner(name);
    }
  }

  async #isAlive(name: string, generation: number): Promise<boolean> {
    const connection = await this.#connect(name, generation);
    connection?.destroy();
    return connection !== undefined;
  }

  async #endOfOwner(name: string): Promise<void> {
    const connection = await this.#connect(name, await this.#highestGeneration(name));
    if (connection === undefined) return;
    await new Promise<void>((resolve) => {
      connection.on('close', () => {
        resolve();
      });
      // Nothing is ever sent; without reading, the end would not be noticed.
      connection.resume();
    });
  }

  /** An open connection to the owner, which lasts until either side ends it; undefined when nobody is there. */
  #connect(name: string, generation: number): Promise<Socket | undefined> {
    return new Promise((resolve, reject) => {
      const connection = createConnection(join(this.#address, socketName(name, generation)));
      connection.on('connect', () => {
        resolve(connection);
      });
      // After the connection was made, too: an owner that dies may reset it, and 'close' follows.
      connection.on('error', (error) => {
        if (NOBODY.has(systemErrorCode(error) ?? '')) resolve(undefined);
        else reject(error);
      });
    });
  }

  /** Undefined when somebody else took this generation first. */
  async #listen(name: string, generation: number): Promise<Claim | undefined> {
    const temporary = `${name}.${process.pid}.${this.#random().toString(36).slice(2, 10)}.new`;
    const claim = await listenAt(join(this.#address, temporary));
    try {
      await link(join(this.#path, temporary), join(this.#path, socketName(name, generation)));
      return claim;
    } catch (error) {
      await claim.release();
      if (systemErrorCode(error) === 'EEXIST') return undefined;
      throw error;
    } finally {
      await rm(join(this.#path, temporary), { force: true });
    }
  }

  /** 0 when there was never a claim of `name`. */
  async #highestGeneration(name: string): Promise<number> {
    return Math.max(0, ...(await this.#generations(name)));
  }

  #remove(name: string, generation: number): Promise<void> {
    return rm(join(this.#path, socketName(name, generation)), { force: true });
  }

  async #removeBelow(name: string, generation: number): Promise<void> {
    for (const lower of await this.#generations(name)) {
      if (lower < generation) await this.#remove(name, lower);
    }
  }

  async #generations(name: string): Promise<number[]> {
    const generations: number[] = [];
    for (const file of await readdir(this.#path)) {
      const match = /^([^.]+)\.(\d+)\.sock$/.exec(file);
      if (match?.[1] === name) generations.push(Number(match[2]));
    }
    return generations;
  }
}

function socketName(name: string, generation: number): string {
  return `${name}.${generation}.sock`;
}

/** Connections stay open until the claim ends: so others can wait for its end. */
function listenAt(address: string): Promise<Claim> {
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connection.unref();
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    // Whoever asked went away: 'close' follows.
    connection.on('error', () => undefined);
    connection.resume();
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(address, () => {
      server.unref();
      resolve({ release: () => closeServer(server, connections) });
    });
  });
}

function closeServer(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    for (const connection of connections) connection.destroy();
  });
}
