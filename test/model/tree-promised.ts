/**
 * With write-back a close is promised: what others do between it and the upload must not take the bytes away, unless it is an edit, which
 * is set aside then (`conflict=fail`).
 */
import { expect } from 'vitest';
import type { UnsentChange } from '../../src/filesystem/unsent/unsent-change.ts';
import { drained } from '../support/drained.ts';
import type { TreeKnowledge } from './tree-knowledge.ts';
import type { World } from './world.ts';

/** What a close says about a file. */
export interface PromisedFile {
  readonly path: string;
  /** What may be stored under it, from what the service has now. */
  readonly contents: () => readonly string[];
  readonly visibilities: () => ReadonlySet<string>;
  /** Whether somebody else may have replaced what it was made from. */
  readonly mayConflict: () => boolean;
}

export class PromisedFiles {
  readonly #world: World;
  readonly #knowledge: TreeKnowledge;
  #promised: PromisedFile | null = null;

  constructor(world: World, knowledge: TreeKnowledge) {
    this.#world = world;
    this.#knowledge = knowledge;
  }

  /** A close has succeeded: with write-back only others do something before `settle`, else it is stored. */
  async closed(file: PromisedFile): Promise<void> {
    this.#promised = file;
    if (!this.#world.writeBack) await this.settle();
  }

  async settle(): Promise<void> {
    const promised = this.#promised;
    if (promised === null) return;
    this.#promised = null;
    const { path } = promised;
    const [contents, visibilities, mayConflict] = [
      promised.contents(),
      promised.visibilities(),
      promised.mayConflict(),
    ];
    const refused = await settled(this.#world);
    await this.#knowledge.changedByMount();
    if (refused.length > 0) {
      expect(mayConflict, `${path} was set aside`).toBe(true);
      return;
    }
    this.#knowledge.stored(path, contents, visibilities);
  }
}

/** Longer than an upload waits for its turn, milliseconds. */
const TURN = 200;

/** All that was promised is done. Returns which kinds of it were refused; nobody wants those any more. */
export async function settled(world: World): Promise<readonly string[]> {
  const { mounted, writeBack, clock } = world;
  if (!writeBack) return [];
  const setAside = async (): Promise<readonly UnsentChange[]> =>
    (await mounted.unsent.list()).filter(({ state }) => state === 'set aside');
  const isDone = await drained(mounted).then(
    () => true,
    () => false,
  );
  if (!isDone) {
    // Only a conflict is refused here; it is set aside when its turn comes.
    clock.advance(TURN);
    await expect.poll(setAside).not.toEqual([]);
    await drained(mounted);
  }
  const refused = await setAside();
  await mounted.unsent.discard(refused.map(({ id }) => id));
  return refused.map(({ kind }) => kind);
}
