/** What may a program be shown of a tree that others change too? The service's history, what this mount did, and its drafts. */
import { expect } from 'vitest';
import { childOf, parentOf } from '../../src/store/keys.ts';
import { bytesUnder, namesBelow } from './service-contents.ts';
import { TreeHistory, type State } from './tree-history.ts';
import { TREE_FILES, TREE_FOLDERS, TREE_TTL } from './tree-operations.ts';
import type { World } from './world.ts';

const CHANGING = new Set(['putObject', 'deleteObject', 'createFolder', 'setVisibility']);

export class TreeKnowledge {
  readonly #world: World;
  readonly #history = new TreeHistory(TREE_TTL);
  /** Of paths with unsent bytes: what the path shows. */
  readonly drafts = new Map<string, Set<string>>();
  /** Names that went by our doing though the service has them: until when they may look gone. */
  readonly #gone = new Map<string, number>();
  /** Folders out of which we took something: they stay in sight. */
  readonly #kept = new Set<string>();
  readonly #foreign = new Map<string, number>();
  readonly #foreignInside = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  get #now(): number {
    return this.#world.clock.monotonic();
  }

  /** What the service holds. */
  truth(path: string): State {
    return this.#history.now(path);
  }

  visibility(path: string): State {
    return this.#history.now(`visibility of ${path}`);
  }

  allowedVisibilities(path: string): Set<State> {
    return this.#history.allowed(`visibility of ${path}`, this.#now);
  }

  allowed(path: string): Set<State> {
    const draft = this.drafts.get(path);
    if (draft !== undefined) return new Set([...draft].map((content) => `file:${content}`));
    if (path === '/') return new Set(['folder']);
    const states = this.#history.allowed(path, this.#now);
    if ((this.#gone.get(path) ?? -Infinity) > this.#now) states.add('missing');
    if (!this.#kept.has(path)) return states;
    return this.#foreignInside.has(path) ? states.add('folder') : new Set(['folder']);
  }

  may(path: string, state: 'missing' | 'folder' | 'file'): boolean {
    return [...this.allowed(path)].some((allowed) => allowed.startsWith(state));
  }

  contents(path: string): string[] {
    return [...this.allowed(path)]
      .filter((state) => state.startsWith('file:'))
      .map((state) => state.slice(5));
  }

  /** Whether another version than one that may have been known at `since` was stored by others. */
  foreignSince(path: string, since: number): boolean {
    return (this.#foreign.get(path) ?? -Infinity) > since - TREE_TTL;
  }

  /** A program was shown `state`. */
  saw(path: string, state: State): void {
    expect([...this.allowed(path)], `what is shown of ${path}`).toContain(state);
    if (!this.drafts.has(path) && TREE_FILES.includes(path)) this.#history.shown(path, state, this.#now);
  }

  /** A change that made `path` go has succeeded. */
  went(path: string): void {
    for (const gone of [path, ...TREE_FILES, ...TREE_FOLDERS]) {
      if (gone === path || gone.startsWith(`${path}/`)) this.#gone.set(gone, this.#now + TREE_TTL);
    }
    this.#kept.delete(path);
    if (parentOf(path) !== '/') this.#kept.add(parentOf(path));
  }

  stays(path: string): void {
    this.#gone.delete(path);
  }

  /** The mount said that one of these contents is stored under `path`. */
  stored(path: string, contents: readonly string[], visibilities: ReadonlySet<string>): void {
    expect(
      contents.map((content) => `file:${content}`),
      `what is stored under ${path}`,
    ).toContain(this.truth(path));
    expect([...visibilities]).toContain(this.visibility(path));
    this.stays(path);
  }

  /** Others have done something: look at the service. */
  async changedByOthers(path: string): Promise<void> {
    this.#foreign.set(path, this.#now);
    for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder))
      this.#foreignInside.add(folder);
    await this.look();
  }

  /** The mount has done something: what it asked for is its own change, and nothing else has changed. */
  async changedByMount(): Promise<void> {
    const changes = this.#world.requests.all.filter(({ operation }) => CHANGING.has(operation));
    this.#world.requests.reset();
    if (changes.length === 0) return;
    const before = new Map(TREE_FILES.map((path) => [path, this.truth(path)]));
    await this.look();
    const changed = new Set<string>();
    for (const { operation, key, folder } of changes) {
      const path = `/${(key ?? folder ?? '').replace(/\/$/, '')}`;
      changed.add(path);
      this.#history.ownChange(`visibility of ${path}`);
      if (operation !== 'setVisibility') this.#history.ownChange(path);
    }
    for (const path of TREE_FILES) {
      if (!changed.has(path))
        expect(this.truth(path), `${path}, which was not touched`).toBe(before.get(path));
    }
  }

  async look(): Promise<void> {
    const { direct, bucket } = this.#world;
    const { files, folders } = await namesBelow(direct, bucket, '');
    for (const path of TREE_FILES) {
      const bytes = files.has(path.slice(1)) ? await bytesUnder(direct, bucket, path.slice(1)) : null;
      this.#history.record(path, bytes === null ? 'missing' : `file:${bytes.toString()}`, this.#now);
      const state =
        bytes === null ? 'private' : (await direct.getVisibility(bucket, path.slice(1))).visibility;
      this.#history.record(`visibility of ${path}`, state, this.#now);
    }
    for (const path of TREE_FOLDERS) {
      this.#history.record(path, folders.has(`${path.slice(1)}/`) ? 'folder' : 'missing', this.#now);
    }
  }

  namesIn(folder: string): string[] {
    return [...TREE_FILES, ...TREE_FOLDERS].filter((path) => parentOf(path) === folder);
  }

  /** Whether the listing of `folder` may have entries. */
  mayHoldSomething(folder: string): boolean {
    return this.namesIn(folder).some(
      (path) => this.may(path, 'file') || this.may(path, 'folder') || this.truth(path) !== 'missing',
    );
  }

  /** A listing of `folder` showed these sizes; null for a folder. */
  sawListing(folder: string, shown: ReadonlyMap<string, number | null>): void {
    const paths = this.namesIn(folder);
    const odd = [...shown.keys()].filter((name) => !paths.includes(childOf(folder, name)));
    expect(odd, `names nobody ever gave in ${folder}`).toEqual([]);
    for (const path of paths) {
      const size = shown.get(path.slice(path.lastIndexOf('/') + 1));
      if (size === undefined) this.saw(path, 'missing');
      else if (size === null) this.saw(path, 'folder');
      else this.sawSize(path, size);
    }
  }

  sawSize(path: string, size: number): void {
    const content = this.contents(path).find(({ length }) => length === size);
    expect(
      content,
      `content of ${size} bytes of ${path}, of ${[...this.allowed(path)].join()}`,
    ).toBeDefined();
    this.saw(path, `file:${content ?? ''}`);
  }
}
