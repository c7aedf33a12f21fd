/** What does a program do that has a folder for itself, and what must it see there, to the byte, whatever others do beside it? */
import { expect } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { names, readFile, writeFile } from '../support/open-for-test.ts';
import { edit, errnoOfCall } from '../support/program-acts.ts';
import { hops, type Dice } from './hopping-service.ts';

const ACTS = [
  'write',
  'append',
  'read',
  'stat',
  'list',
  'unlink',
  'unlink',
  'mkdir',
  'rmdir',
  'rename',
] as const;
const NAMES = ['a', 'b', 'c'] as const;
/** Turns of the event loop between two acts at most. */
const MOST_HOPS = 6;
/** Of what it did last, in a failure. */
const MOST_TOLD = 20;

export class OwnFolderProgram {
  readonly #fs: FileSystemOperations;
  readonly #dice: Dice;
  /** What the folder holds; null: a folder. */
  readonly #tree: Map<string, string | null>;
  readonly #story: string[] = [];

  /** `top` is there, and empty. */
  constructor(fs: FileSystemOperations, dice: Dice, top: string) {
    this.#fs = fs;
    this.#dice = dice;
    this.#tree = new Map([[top, null]]);
  }

  /** Of files and folders, the top one among them. */
  get paths(): readonly string[] {
    return [...this.#tree.keys()];
  }

  /** Rejects when anything is not as it would be on a local disk. */
  async play(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await hops(this.#dice(MOST_HOPS));
      await this.#act(`${step}`);
    }
  }

  /** All that it has stored is there; `read`: what else has to be asked. */
  async expectAll(read: (path: string) => Promise<Buffer>): Promise<void> {
    for (const [path, text] of this.#tree)
      if (text !== null) expect((await read(path)).toString(), this.#told(`at the end ${path}`)).toBe(text);
  }

  async #act(text: string): Promise<void> {
    const path = this.#anyPath();
    const there = this.#tree.get(path);
    const act = this.#pick(ACTS);
    if (act === 'write' && there !== null) {
      await this.#does(`write ${path}`, 'none', () => writeFile(this.#fs, path, text));
      this.#tree.set(path, text);
    } else if (act === 'append' && typeof there === 'string') {
      await this.#does(`append ${path}`, 'none', () => edit(this.#fs, path, '+', there.length));
      this.#tree.set(path, `${there}+`);
    } else if (act === 'unlink' && there !== null) {
      await this.#does(`unlink ${path}`, there === undefined ? 'ENOENT' : 'none', () =>
        this.#fs.unlink(path),
      );
      this.#tree.delete(path);
    } else if (act === 'mkdir') {
      const errno = there === undefined ? 'none' : 'EEXIST';
      await this.#does(`mkdir ${path}`, errno, () => this.#fs.mkdir(path, 0o755));
      if (there === undefined) this.#tree.set(path, null);
    } else if (act === 'rmdir' && there === null) {
      const isEmpty = this.#namesIn(path).length === 0;
      await this.#does(`rmdir ${path}`, isEmpty ? 'none' : 'ENOTEMPTY', () => this.#fs.rmdir(path));
      if (isEmpty) this.#tree.delete(path);
    } else if (act === 'rename' && there !== undefined) await this.#rename(path, there);
    else await this.#look(act, path, there);
  }

  /** Of files over what there is, of folders to names that are free. */
  async #rename(path: string, there: string | null): Promise<void> {
    const to = this.#anyPath();
    const isInItself = `${to}/`.startsWith(`${path}/`) || path.startsWith(`${to}/`);
    const target = this.#tree.get(to);
    if (isInItself || target === null || (there === null && target !== undefined)) return;
    await this.#does(`rename ${path} ${to}`, 'none', () => this.#fs.rename(path, to, false));
    for (const [each, text] of [...this.#tree]) {
      if (!`${each}/`.startsWith(`${path}/`)) continue;
      this.#tree.delete(each);
      this.#tree.set(to + each.slice(path.length), text);
    }
  }

  async #look(act: (typeof ACTS)[number], path: string, there: string | null | undefined): Promise<void> {
    if (act === 'read' && typeof there === 'string')
      expect((await readFile(this.#fs, path)).toString(), this.#told(`read ${path}`)).toBe(there);
    if (act === 'list' && there === null)
      expect((await names(this.#fs, path)).toSorted(), this.#told(`list ${path}`)).toEqual(
        this.#namesIn(path),
      );
    if (act !== 'stat') return;
    if (there === undefined) return this.#does(`stat ${path}`, 'ENOENT', () => this.#fs.getAttributes(path));
    const wanted = there === null ? { kind: 'folder' } : { kind: 'file', size: there.length };
    expect(await this.#fs.getAttributes(path), this.#told(`stat ${path}`)).toMatchObject(wanted);
  }

  async #does(title: string, errno: string, run: () => Promise<unknown>): Promise<void> {
    const told = this.#told(title);
    expect(await errnoOfCall(run()), told).toBe(errno);
  }

  #told(title: string): string {
    this.#story.push(title);
    return this.#story.slice(-MOST_TOLD).join('; ');
  }

  #namesIn(folder: string): readonly string[] {
    const within = this.paths
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1));
    return within.filter((name) => !name.includes('/')).toSorted();
  }

  #anyPath(): string {
    const folders = [...this.#tree].filter(([, text]) => text === null).map(([path]) => path);
    return `${this.#pick(folders)}/${this.#pick(NAMES)}`;
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#dice(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  }
}
