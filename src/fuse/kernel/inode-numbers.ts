/**
 * Which inode number are programs shown? `git`, and programs that make backups, take a file for another one when its number has changed, and read it
 * again; what watches logs takes two files for one when one has the number that the other had. So it is made of the names that lead to a file and of
 * what names its content, and every mount of a bucket makes the same of them. What has just been made has one as if by chance.
 *
 * Two that are there at once never have the same: who comes later to a number gets another.
 */
import { HashIndex, mixed } from '../../base/hash-index.ts';
import { hashOf } from '../../base/text-list.ts';
import type { NodeFacts } from './node.ts';

/** 32 bits hold it: programs that are built for no more cannot stat(2) what has a longer one. */
const AFTER_LARGEST = 0xffffffff;
/** "None", and that of the mount's top. */
const FIRST = 2;
const NEXT_TRY = 0x9e3779b1;
/** Enough for those whose names happen to make the same number; more would be walked through by each that was made under one name and renamed. */
const TRIES_BY_NAME = 4;

/** The numbers of the nodes that are there, each known by its `id`. */
export class InodeNumbers {
  readonly #inodeOf: (id: number) => number;
  readonly #ids: HashIndex;
  #chance: number;

  /** `seed`: an integer, another one in each mount. */
  constructor(inodeOf: (id: number) => number, seed: number) {
    this.#inodeOf = inodeOf;
    this.#ids = new HashIndex(inodeOf);
    this.#chance = mixed(seed);
  }

  /** For what is at `name` in the folder whose number is `folder`. */
  free(folder: number, name: string, { kind, etag }: Pick<NodeFacts, 'kind' | 'etag'>): number {
    if (kind === 'folder' || etag != null) {
      const content = etag == null ? 0 : mixed(hashOf(etag));
      const hash = mixed(folder) ^ hashOf(name) ^ content;
      for (let turn = 0; turn < TRIES_BY_NAME; turn += 1) {
        const inode = mixed(hash + turn * NEXT_TRY);
        if (this.#isFree(inode)) return inode;
      }
    }
    for (;;) {
      this.#chance = (this.#chance + NEXT_TRY) >>> 0;
      const inode = mixed(this.#chance);
      if (this.#isFree(inode)) return inode;
    }
  }

  /** One that has a number now. */
  add(id: number): void {
    this.#ids.add(id);
  }

  /** One that still has its number. */
  remove(id: number): void {
    this.#ids.remove(id);
  }

  #isFree(inode: number): boolean {
    if (inode < FIRST || inode >= AFTER_LARGEST) return false;
    return this.#ids.find(inode, (id) => this.#inodeOf(id) === inode) === undefined;
  }
}
