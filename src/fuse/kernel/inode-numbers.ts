/**
 * Which inode number are programs shown? `git`, and programs that make backups, take a file for another one when its number has changed, and read it
 * again: so it is made of the names that lead to it, and every mount of a bucket makes the same of them.
 *
 * Two that are there at once never have the same, since programs take them for one file then: who comes later to a number gets another.
 */
import { HashIndex, mixed } from '../../base/hash-index.ts';
import { hashOf } from '../../base/text-list.ts';

/** 32 bits hold it: programs that are built for no more cannot stat(2) what has a longer one. */
const AFTER_LARGEST = 0xffffffff;
/** "None", and that of the mount's top. */
const FIRST = 2;
const NEXT_TRY = 0x9e3779b1;

/** The numbers of the nodes that are there, each known by its `id`. */
export class InodeNumbers {
  readonly #inodeOf: (id: number) => number;
  readonly #ids: HashIndex;

  constructor(inodeOf: (id: number) => number) {
    this.#inodeOf = inodeOf;
    this.#ids = new HashIndex(inodeOf);
  }

  /** For what is at `name` in the folder whose number is `folder`. */
  free(folder: number, name: string): number {
    for (let hash = mixed(folder) ^ hashOf(name); ; hash += NEXT_TRY) {
      const inode = mixed(hash);
      if (inode >= FIRST && inode < AFTER_LARGEST && !this.#isTaken(inode)) return inode;
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

  #isTaken(inode: number): boolean {
    return this.#ids.find(inode, (id) => this.#inodeOf(id) === inode) !== undefined;
  }
}
