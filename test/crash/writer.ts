/** What does a program do that writes without an end? One call after the other on names of its own, each promise noted in the manifest. */
import { createHash } from 'node:crypto';
import { open, readFile, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chance } from './chance.ts';
import type { ManifestLines } from './manifest.ts';

const FILES = 6;
const RSYNC_LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const RSYNC_SUFFIX = 6;
const OWNER_ONLY = 0o600;
const KIB = 1024;

type Act = (name: string) => Promise<void>;

export class Writer {
  readonly #top: string;
  readonly #folder: string;
  readonly #chance: Chance;
  readonly #lines: ManifestLines;
  readonly #names = Array.from({ length: FILES }, (_, number) => `file-${number}`);
  readonly #acts: readonly Act[];
  /** What each file holds, by name. */
  readonly #contents = new Map<string, Buffer>();

  /** `folder`: of nobody else, below `top`. */
  constructor(top: string, folder: string, chance: Chance, lines: ManifestLines) {
    this.#top = top;
    this.#folder = folder;
    this.#chance = chance;
    this.#lines = lines;
    const rewrite: Act = (name) => this.#rewrite(name);
    const append: Act = (name) => this.#append(name);
    const save: Act = (name) => this.#saveByRename(name, `tmp-${name}`);
    const move: Act = (name) => this.#move(name, this.#chance.pick(this.#names));
    this.#acts = [
      ...[rewrite, rewrite, rewrite, append, append, save, save, move, move],
      (name) => this.#edit(name),
      (name) => this.#cut(name),
      (name) => this.#transfer(name),
      (name) => this.#remove(name),
    ];
  }

  /** Looks at all there is, held against `hashes` by name; rejects when it is something else, or when a call fails. */
  async look(hashes: Readonly<Record<string, string>>): Promise<void> {
    const names = (await readdir(this.#path(''))).sort();
    const wanted = Object.keys(hashes).sort();
    if (names.join() !== wanted.join()) throw new Error(`shown are ${names.join()}, not ${wanted.join()}`);
    for (const name of names) {
      const bytes = await readFile(this.#path(name));
      if (hashOf(bytes) !== hashes[name]) throw new Error(`${name} shows other bytes`);
      this.#contents.set(name, bytes);
    }
  }

  /** Until a call fails, with its error. */
  async goOn(): Promise<never> {
    for (const name of [...this.#contents.keys()]) if (/^(\.|tmp-)/.test(name)) await this.#remove(name);
    for (;;) await this.#chance.pick(this.#acts)(this.#chance.pick(this.#names));
  }

  async #rewrite(name: string): Promise<void> {
    await this.#write(name, this.#content(), await open(this.#path(name), 'w'));
  }

  async #append(name: string): Promise<void> {
    await this.#write(name, this.#content(), await open(this.#path(name), 'a'), this.#contents.get(name));
  }

  async #edit(name: string): Promise<void> {
    const old = this.#contents.get(name);
    if (old === undefined || old.length === 0) return this.#rewrite(name);
    const at = this.#chance.between(0, old.length - 1);
    const fresh = this.#content().subarray(0, old.length - at);
    const bytes = Buffer.from(old);
    bytes.set(fresh, at);
    const file = await open(this.#path(name), 'r+');
    await closing(file, async () => {
      await file.write(fresh, 0, fresh.length, at);
      await this.#promises(name, bytes, () => file.close());
    });
  }

  async #cut(name: string): Promise<void> {
    const old = this.#contents.get(name);
    if (old === undefined) return this.#rewrite(name);
    const bytes = old.subarray(0, this.#chance.between(0, old.length));
    const file = await open(this.#path(name), 'r+');
    await closing(file, async () => {
      await file.truncate(bytes.length);
      await this.#promisesAtClose(name, bytes, file);
    });
  }

  /** As editors do. */
  async #saveByRename(name: string, temporary: string): Promise<void> {
    await this.#write(temporary, this.#content(), await open(this.#path(temporary), 'w'));
    await this.#move(temporary, name);
  }

  /** As rsync does: its name is a scratch file's, which only fsync makes outlive the mount. */
  async #transfer(name: string): Promise<void> {
    const letters = Array.from({ length: RSYNC_SUFFIX }, () => this.#chance.pick(Array.from(RSYNC_LETTERS)));
    const scratch = `.${name}.${letters.join('')}`;
    const bytes = this.#content();
    const file = await open(this.#path(scratch), 'wx', OWNER_ONLY);
    await closing(file, async () => {
      await file.writeFile(bytes);
      if (this.#chance.isOnceIn(2)) await this.#promises(scratch, bytes, () => file.sync());
      await file.close();
    });
    this.#contents.set(scratch, bytes);
    await this.#move(scratch, name);
  }

  async #move(from: string, to: string): Promise<void> {
    const bytes = this.#contents.get(from);
    if (bytes === undefined || from === to) return this.#rewrite(from);
    const keys = { from: this.#key(from), to: this.#key(to) };
    this.#lines.begins({ kind: 'rename', ...keys, hash: hashOf(bytes) });
    await rename(this.#path(from), this.#path(to));
    this.#lines.returned();
    this.#contents.delete(from);
    this.#contents.set(to, bytes);
  }

  async #remove(name: string): Promise<void> {
    if (!this.#contents.has(name)) return this.#rewrite(name);
    this.#lines.begins({ kind: 'unlink', key: this.#key(name) });
    await unlink(this.#path(name));
    this.#lines.returned();
    this.#contents.delete(name);
  }

  /** Adds `bytes` to `before`, which `file` holds; now and then with an fsync in the middle. */
  async #write(
    name: string,
    bytes: Buffer,
    file: FileHandle,
    before: Buffer = Buffer.alloc(0),
  ): Promise<void> {
    await closing(file, async () => {
      const all = Buffer.concat([before, bytes]);
      const middle = this.#chance.isOnceIn(3) ? this.#chance.between(0, bytes.length) : 0;
      if (middle > 0) {
        await file.write(bytes, 0, middle);
        await this.#promises(name, all.subarray(0, before.length + middle), () => file.sync());
      }
      if (middle < bytes.length) await file.write(bytes, middle, bytes.length - middle);
      await this.#promisesAtClose(name, all, file);
    });
  }

  /** SEMANTICS, [write/empty-flush]: close alone promises nothing of a file that was only emptied. */
  async #promisesAtClose(name: string, bytes: Buffer, file: FileHandle): Promise<void> {
    if (bytes.length === 0) await this.#promises(name, bytes, () => file.sync());
    await this.#promises(name, bytes, () => file.close());
  }

  async #promises(name: string, bytes: Buffer, call: () => Promise<void>): Promise<void> {
    this.#lines.begins({ kind: 'store', key: this.#key(name), hash: hashOf(bytes) });
    await call();
    this.#lines.returned();
    this.#contents.set(name, bytes);
  }

  /** Up to some megabytes, mostly little; no two are equal. */
  #content(): Buffer {
    const most = this.#chance.pick([
      0,
      16,
      200,
      4 * KIB,
      20 * KIB,
      20 * KIB,
      300 * KIB,
      300 * KIB,
      2500 * KIB,
    ]);
    const bytes = Buffer.alloc(this.#chance.between(Math.floor(most / 2), most));
    const seed = Buffer.from(String(this.#chance.next()));
    return bytes.length === 0 ? bytes : bytes.fill(seed);
  }

  #path(name: string): string {
    return join(this.#top, this.#folder, name);
  }

  #key(name: string): string {
    return `${this.#folder}/${name}`;
  }
}

/** Whatever happens in `use`, which closes `file` itself, no descriptor is left of a mount that died. */
async function closing(file: FileHandle, use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (error) {
    // It may be closed, and its mount may be gone: the first error is the one to hear of.
    await file.close().catch(() => undefined);
    throw error;
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
