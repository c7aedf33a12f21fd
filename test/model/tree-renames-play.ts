/**
 * Do renames of folders do what they say? One operation at a time is done to the real thing and to the model; after a rename all
 * that programs see, and all that the service holds, is the model's. Every content is written once and never again, so that it
 * tells where it came from.
 */
import { expect } from 'vitest';
import type { FileHandle, FileSystemOperations } from '../../src/filesystem/operations.ts';
import { childOf } from '../../src/store/keys.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { closing, readAll, writeFile } from '../support/open-for-test.ts';
import { openToRewrite } from '../support/program-acts.ts';
import { bytesUnder } from './service-contents.ts';
import type { Disturber } from './tree-renames-disturbed.ts';
import { isUnsent, RENAME_LIMIT, RenamedTree, storedFile, type FileNode } from './tree-renames-model.ts';
import type { Disturbance, RenameTreeOperation } from './tree-renames-operations.ts';
import { expectStored, HIDDEN, shownTree } from './tree-renames-seen.ts';
import { outcome, UniqueContents, writeAtEnd } from './tree-program.ts';
import type { World } from './world.ts';

/** Milliseconds: longer than the TTL, and than an emptied folder waits to be made real. */
const LONG = 25_000;
/** What a program hears of the faults. */
const FAULTS_CODES = ['EIO', 'EACCES', 'EDQUOT'];

/** Whether what fails is certainly not done, and goes later. */
function isPassing(disturbance: Disturbance): boolean {
  return (
    disturbance.kind === 'fault' && disturbance.fault.kind === 'status' && disturbance.fault.status === 402
  );
}

interface Held {
  path: string;
  readonly handle: FileHandle;
  readonly writes: boolean;
}

const UNDISTURBED: Disturbance = { kind: 'none' };

export class TreeRenames {
  readonly #world: World;
  readonly #fs: FileSystemOperations;
  readonly #disturber: Disturber;
  readonly #tree = new RenamedTree();
  readonly #contents = new UniqueContents();
  /** Of files that an earlier rename may still delete: no copy of theirs is taken away (`store/late-requests.ts`). */
  readonly #mayStillGo = new Set<string>();
  #held: Held[] = [];
  #additions = 0;

  constructor(world: World, disturber: Disturber) {
    this.#world = world;
    this.#fs = world.mounted.operations;
    this.#disturber = disturber;
  }

  /** Others have stored files under `keys`, or made folders where they end in a slash. */
  async begin(keys: readonly string[]): Promise<void> {
    const { direct, bucket } = this.#world;
    for (const key of keys) {
      if (key.endsWith('/')) await direct.createFolder(bucket, key.slice(0, -1));
      else await this.#storeByOthers(`/${key}`);
      this.#tree.makeFolders(`/${key}`.replace(/\/$/, ''), key.endsWith('/'));
    }
  }

  async run(operation: RenameTreeOperation): Promise<void> {
    switch (operation.kind) {
      case 'write':
        return this.#write(operation.path);
      case 'mkdir':
        return this.#mkdir(operation.path);
      case 'remove':
        return this.#remove(operation.path);
      case 'hide':
        return this.#hide(operation.path);
      case 'hold':
        return this.#hold(operation.path, operation.access);
      case 'heldClose': {
        const held = this.#held[operation.held];
        return held && this.#close(held);
      }
      case 'rename':
        return this.#rename(operation.path, operation.to, UNDISTURBED);
      case 'renameFolder': {
        const folders = this.#tree.foldersFrom('/');
        const from = folders[operation.folder % Math.max(1, folders.length)];
        return from === undefined ? undefined : this.#rename(from, operation.to, operation.disturbance);
      }
      case 'look':
        return this.#look();
      case 'advance':
        return this.#wait(operation.milliseconds);
    }
  }

  async end(): Promise<void> {
    for (const held of [...this.#held]) await this.#close(held);
    await this.#wait(LONG);
    await this.#look();
  }

  async #write(path: string): Promise<void> {
    if (this.#isHeld(path) || this.#tree.isBelowFile(path)) return;
    const content = this.#contents.next('own');
    const there = this.#tree.get(path);
    const expected = there?.kind === 'folder' ? 'EISDIR' : (this.#tree.refusesNew(path) ?? 'none');
    expect(await outcome(() => writeFile(this.#fs, path, content)), `write of ${path}`).toBe(expected);
    if (expected === 'none') this.#tree.set(path, storedFile(content));
  }

  async #mkdir(path: string): Promise<void> {
    if (this.#tree.isBelowFile(path)) return;
    const expected = this.#tree.get(path) ? 'EEXIST' : (this.#tree.refusesNew(path) ?? 'none');
    expect(await outcome(() => this.#fs.mkdir(path, 0o755)), `mkdir of ${path}`).toBe(expected);
    if (expected === 'none') this.#tree.set(path, { kind: 'folder', hidden: false });
  }

  async #remove(path: string): Promise<void> {
    const there = this.#tree.get(path);
    if (there === undefined || this.#isHeld(path)) return;
    const isFolder = there.kind === 'folder';
    const expected = isFolder && !this.#tree.isEmpty(path) ? 'ENOTEMPTY' : 'none';
    const code = await outcome(() => (isFolder ? this.#fs.rmdir(path) : this.#fs.unlink(path)));
    expect(code, `removal of ${path}`).toBe(expected);
    if (expected === 'none') this.#tree.remove(path);
  }

  /** Others put a key into the folder that no path shows, or take it away. */
  async #hide(path: string): Promise<void> {
    const folder = this.#tree.get(path);
    if (folder?.kind !== 'folder') return;
    const { direct, bucket } = this.#world;
    const key = path.slice(1);
    if (folder.hidden) {
      await direct.createFolder(bucket, key);
      await direct.deleteObject(bucket, `${key}${HIDDEN}`);
    } else await direct.putObject(bucket, `${key}${HIDDEN}`, uploadOf(''));
    this.#tree.set(path, { kind: 'folder', hidden: !folder.hidden });
    await this.#wait(LONG);
  }

  async #hold(path: string, access: 'read' | 'append' | 'rewrite'): Promise<void> {
    if (this.#isHeld(path) || this.#held.length >= 3) return;
    const there = this.#tree.get(path);
    if (there?.kind === 'folder') return;
    const mayOpen = access === 'rewrite' ? this.#tree.refusesNew(path) === null : there !== undefined;
    if (!mayOpen) return;
    const piece = access === 'read' ? '' : this.#contents.next(access);
    const handle = await (access === 'rewrite'
      ? openToRewrite(this.#fs, path)
      : this.#fs.open(path, { read: true, write: access === 'append', truncate: false }));
    this.#held.push({ path, handle, writes: access !== 'read' });
    if (access === 'append') await writeAtEnd(this.#fs, path, handle, piece);
    else if (access === 'rewrite') await this.#fs.write(handle, Buffer.from(piece), 0);
    const base = access === 'rewrite' ? '' : (there?.content ?? '');
    this.#tree.set(path, {
      kind: 'file',
      content: base + piece,
      stored: there?.stored ?? new Set([null]),
    });
  }

  async #close(held: Held): Promise<void> {
    this.#held = this.#held.filter((other) => other !== held);
    const code = await outcome(() => closing(this.#fs, held.handle, () => Promise.resolve()));
    expect(code, `close of ${held.path}`).toBe('none');
    if (held.writes) this.#tree.set(held.path, storedFile(this.#tree.contentAt(held.path)));
  }

  async #rename(from: string, to: string, disturbance: Disturbance): Promise<void> {
    // What becomes of a file that is replaced while it is open is for other tests.
    if (this.#isHeld(to) || this.#tree.isBelowFile(from) || this.#tree.isBelowFile(to)) return;
    const refusals: string[] = this.#tree.refusals(from, to);
    const disturbed = this.#disturb(from, from === to ? UNDISTURBED : disturbance);
    const code = await outcome(() => this.#fs.rename(from, to, false));
    this.#disturber.end();
    const what = `rename of ${from} to ${to} (expected ${refusals.join()})`;
    if (disturbed.faults > 0 && FAULTS_CODES.includes(code)) {
      if (refusals.length === 0)
        await this.#failed(from, to, isPassing(disturbance) || disturbed.faults === 1);
    } else if (disturbed.added !== null && code === 'EXDEV') {
      expect(this.#tree.storedIn(from) + 1, what).toBeGreaterThan(RENAME_LIMIT);
    } else {
      expect(refusals.length === 0 ? ['none'] : refusals, what).toContain(code);
      if (code === 'none') this.#moved(from, to);
    }
    if (disturbed.added !== null) await this.#settleAddition(disturbed.added, from, to);
    await this.#look();
  }

  #disturb(
    from: string,
    disturbance: Disturbance,
  ): { readonly faults: number; readonly added: string | null } {
    const disturber = this.#disturber;
    const before = disturber.faults.taken;
    let added: string | null = null;
    if (disturbance.kind === 'fault') {
      const { at, times, fault } = disturbance;
      disturber.faults.add({ skip: at, times, fault });
    }
    if (disturbance.kind === 'addition') {
      const folders = this.#tree.foldersFrom(from);
      const folder = folders[disturbance.folder % folders.length] ?? from;
      disturber.before(disturbance.at, async () => {
        this.#additions += 1;
        added = childOf(folder, `theirs${this.#additions}`);
        const { direct, bucket } = this.#world;
        await direct.putObject(bucket, added.slice(1), uploadOf(this.#contentOfAddition(added)));
      });
    }
    return {
      get faults() {
        return disturber.faults.taken - before;
      },
      get added() {
        return added;
      },
    };
  }

  #moved(from: string, to: string): void {
    if (from === to) return;
    this.#tree.move(from, to);
    for (const held of this.#held) {
      if (held.path === from || held.path.startsWith(`${from}/`)) {
        held.path = to + held.path.slice(from.length);
        this.#mayBeStored(held);
      }
    }
  }

  /**
   * After one fault `isUndone`: all is where it was, or, where more faults may pass, will be. Else what was moved may be left under the
   * new name, but never half, and never less.
   */
  async #failed(from: string, to: string, isUndone: boolean): Promise<void> {
    for (const held of this.#held) if (held.path.startsWith(`${from}/`)) this.#mayBeStored(held);
    await this.#wait(LONG);
    // By now what can go back later is under way.
    await this.#wait(LONG);
    const { unsent } = this.#world.mounted;
    const kinds = async (): Promise<string[]> => (await unsent.list()).map(({ kind }) => kind);
    await expect.poll(kinds, { timeout: 20_000 }).not.toContain('rename');
    const files = this.#tree
      .from(from)
      .flatMap(([path, node]) => (node.kind === 'file' ? [{ path, node }] : []));
    if (isUndone && !files.some(({ path }) => this.#mayStillGo.has(path))) return;
    for (const { path } of files) this.#mayStillGo.add(path);
    const shown = await shownTree(this.#fs);
    for (const [path] of [...this.#tree.from(from), ...this.#tree.from(to)]) this.#tree.remove(path);
    for (const [path, content] of shown)
      if (content === null && this.#tree.get(path) === undefined)
        this.#tree.set(path, { kind: 'folder', hidden: false });
    for (const { path, node } of files) this.#findAgain(path, to + path.slice(from.length), node, shown);
  }

  #findAgain(old: string, moved: string, node: FileNode, shown: ReadonlyMap<string, string | null>): void {
    const held = this.#held.find(({ path }) => path === old);
    if (held !== undefined) held.path = held.handle.path;
    const places = [old, moved].filter((path) => typeof shown.get(path) === 'string');
    expect(places, `where ${old} is after a rename that failed`).not.toEqual([]);
    for (const path of places) {
      const content = shown.get(path) ?? '';
      expect([...node.stored, node.content], `content of ${path}`).toContain(content);
      this.#tree.set(path, held?.path === path ? node : storedFile(content));
    }
  }

  /** What was stored before the rename looked goes along; else it stays under the old name, with the folders that it is in. */
  async #settleAddition(added: string, from: string, to: string): Promise<void> {
    await this.#wait(LONG);
    const { direct, bucket } = this.#world;
    const isHere = (await bytesUnder(direct, bucket, added.slice(1))) !== null;
    const path = isHere ? added : to + added.slice(from.length);
    this.#tree.makeFolders(path, false);
    this.#tree.set(path, storedFile(this.#contentOfAddition(added)));
  }

  /** All that programs see, and all that the service holds. */
  async #look(): Promise<void> {
    const entries = this.#tree.entries.map(([path, node]): [string, string | null] => [
      path,
      node.kind === 'file' ? node.content : null,
    ]);
    expect(Object.fromEntries(await shownTree(this.#fs)), 'what programs see').toEqual(
      Object.fromEntries(entries),
    );
    for (const held of this.#held) {
      expect(held.handle.path).toBe(held.path);
      expect((await readAll(this.#fs, held.handle)).toString()).toBe(this.#tree.contentAt(held.path));
    }
    await expectStored(this.#world, this.#tree);
  }

  async #wait(milliseconds: number): Promise<void> {
    this.#world.clock.advance(milliseconds);
    await this.#world.quiet();
  }

  async #storeByOthers(path: string): Promise<void> {
    const { direct, bucket } = this.#world;
    const content = this.#contents.next('foreign');
    await direct.putObject(bucket, path.slice(1), uploadOf(content));
    this.#tree.set(path, storedFile(content));
  }

  /** A rename stores what was written, too. */
  #mayBeStored({ path, writes }: Held): void {
    const node = this.#tree.get(path);
    if (!writes || node?.kind !== 'file' || isUnsent(node)) return;
    this.#tree.set(path, { ...node, stored: new Set([...node.stored, node.content]) });
  }

  #contentOfAddition(path: string): string {
    return `content of ${path}`;
  }

  #isHeld(path: string): boolean {
    return this.#held.some((held) => held.path === path);
  }
}
