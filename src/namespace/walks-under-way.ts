/**
 * Which folders are being read, and who may join whom? Two walks of one folder are under way together when the second was asked for
 * after something had to be forgotten, or where nothing is trusted.
 */
import { FolderWalk, type FolderWalkParts } from './folder-walk.ts';

export class WalksUnderWay {
  readonly #parts: Omit<FolderWalkParts, 'isAlone'>;
  readonly #mayJoin: boolean;
  /** By path, the one to join. */
  readonly #joinable = new Map<string, FolderWalk>();
  /** By path, how many are under way, joinable or not. */
  readonly #counts = new Map<string, number>();

  /** `mayJoin`: whether anybody may join what others asked. */
  constructor(parts: Omit<FolderWalkParts, 'isAlone'>, mayJoin: boolean) {
    this.#parts = parts;
    this.#mayJoin = mayJoin;
  }

  /** The walk of `path` to join, or a new one. */
  of(path: string): FolderWalk {
    const underWay = this.#joinable.get(path);
    if (underWay?.isUnderWay === true) return underWay;
    this.#count(path, 1);
    const walk = FolderWalk.begin({ ...this.#parts, isAlone: () => this.#counts.get(path) === 1 }, path);
    if (this.#mayJoin) this.#joinable.set(path, walk);
    void walk.ended.then(() => {
      this.#count(path, -1);
      if (this.#joinable.get(path) === walk) this.#joinable.delete(path);
    });
    return walk;
  }

  /** Nobody joins those any more that are under way now and whose path is as said. */
  leaveBehind(isMeant: (path: string) => boolean): void {
    for (const path of this.#joinable.keys()) if (isMeant(path)) this.#joinable.delete(path);
  }

  #count(path: string, change: 1 | -1): void {
    const count = (this.#counts.get(path) ?? 0) + change;
    if (count === 0) this.#counts.delete(path);
    else this.#counts.set(path, count);
  }
}
