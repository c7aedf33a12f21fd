/** Do files that stay open over other operations, others' too, keep what was promised to those who have them open? */
import { expect } from 'vitest';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { parentOf } from '../../src/store/keys.ts';
import { closing, readAll } from '../support/open-for-test.ts';
import type { TreeKnowledge } from './tree-knowledge.ts';
import type { HeldOperation, HoldAccess } from './tree-operations.ts';
import { settled } from './tree-promised.ts';
import { appended, createOver, outcome, writeAtEnd, type UniqueContents } from './tree-program.ts';
import type { World } from './world.ts';

interface Held {
  readonly path: string;
  readonly access: HoldAccess;
  readonly handle: FileHandle;
  readonly openedAt: number;
  /** What reading may bring. */
  readonly contents: ReadonlySet<string>;
  /** What was appended, or the whole new content. */
  readonly written: string;
  unlinked: boolean;
}

export class HeldFiles {
  readonly #world: World;
  readonly #fs: FileSystemOperations;
  readonly #knowledge: TreeKnowledge;
  readonly #contents: UniqueContents;
  #held: Held[] = [];

  constructor(world: World, knowledge: TreeKnowledge, contents: UniqueContents) {
    this.#world = world;
    this.#fs = world.mounted.operations;
    this.#knowledge = knowledge;
    this.#contents = contents;
  }

  get #now(): number {
    return this.#world.clock.monotonic();
  }

  /** Whether the path leads to an open file. */
  has(path: string): boolean {
    return this.#held.some((held) => held.path === path && !held.unlinked);
  }

  /** Since when a program has had something of its own at `path`, which is what everybody here sees; undefined: none does. */
  writtenSince(path: string): number | undefined {
    return this.#held.find((held) => held.path === path && !held.unlinked && held.access !== 'read')
      ?.openedAt;
  }

  unlinked(path: string): void {
    for (const held of this.#held) if (held.path === path) held.unlinked = true;
  }

  async run(operation: HeldOperation): Promise<void> {
    if (operation.kind === 'hold') return this.#hold(operation.path, operation.access);
    const held = this.#held[operation.held % Math.max(1, this.#held.length)];
    if (held === undefined) return;
    if (operation.kind === 'heldClose') return this.#closeHeld(held);
    await this.#readHeld(held);
  }

  async closeAll(): Promise<void> {
    for (const held of [...this.#held]) await this.#closeHeld(held);
  }

  async #hold(path: string, access: HoldAccess): Promise<void> {
    if (this.has(path) || this.#held.length >= 2) return;
    const known = this.#knowledge.contents(path);
    const written = access === 'read' ? '' : this.#contents.next(access);
    const mayMiss = this.#knowledge.may(access === 'rewrite' ? parentOf(path) : path, 'missing');
    let handle: FileHandle | undefined;
    const code = await outcome(async () => {
      handle = await (access === 'rewrite'
        ? createOver(this.#fs, path)
        : this.#fs.open(path, { read: true, write: access === 'append', truncate: false }));
      try {
        if (access === 'append') await writeAtEnd(this.#fs, path, handle, written);
        else if (access === 'rewrite') await this.#fs.write(handle, Buffer.from(written), 0);
      } catch (error) {
        await this.#fs.release(handle);
        throw error;
      }
    });
    if (code === 'ENOENT' && mayMiss) return;
    if (code === 'ESTALE' && this.#knowledge.foreignSince(path, this.#now)) return;
    expect(code, `open of ${path} for ${access}`).toBe('none');
    if (handle === undefined) return;
    const contents = new Set(access === 'rewrite' ? [written] : known.map((content) => content + written));
    this.#held.push({ path, access, handle, openedAt: this.#now, contents, written, unlinked: false });
    if (access !== 'read') this.#knowledge.drafts.set(path, contents);
  }

  async #readHeld(held: Held): Promise<void> {
    if (held.access === 'rewrite') return;
    let content = '';
    const code = await outcome(async () => {
      content = (await readAll(this.#fs, held.handle)).toString();
    });
    if (code === 'ESTALE' && this.#knowledge.foreignSince(held.path, held.openedAt)) return;
    expect(code, `read of the open ${held.path}`).toBe('none');
    expect([...held.contents], `content of the open ${held.path}`).toContain(content);
  }

  async #closeHeld(held: Held): Promise<void> {
    const { path, access, handle, contents, written } = held;
    const before = this.#knowledge.truth(path);
    const bases = [...contents].map((content) => content.slice(0, content.length - written.length));
    this.#held = this.#held.filter((other) => other !== held);
    const closed = await outcome(() => closing(this.#fs, handle, () => Promise.resolve()));
    const refused = closed === 'none' ? await settled(this.#world) : [];
    const code = refused.length > 0 ? 'ESTALE' : closed;
    if (!held.unlinked) this.#knowledge.drafts.delete(path);
    if (code === 'ESTALE' && access === 'append' && this.#knowledge.foreignSince(path, held.openedAt)) return;
    expect(code, `close of ${path} after ${access}`).toBe('none');
    if (held.unlinked || access === 'read') return;
    const stored = access === 'rewrite' ? [written] : appended(before, bases, written);
    await this.#knowledge.changedByMount();
    expect(
      stored.map((content) => `file:${content}`),
      `what is stored under ${path}`,
    ).toContain(this.#knowledge.truth(path));
    this.#knowledge.stays(path);
  }
}
