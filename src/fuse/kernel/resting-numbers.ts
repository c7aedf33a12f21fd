/**
 * Which number had a file that the kernel has forgotten? It forgets what nobody has open whenever it wants memory and, since Linux
 * 6.16, at one word for all names (`incrementEpoch`). A program has the number still: cp(1) skips a file whose number is another when it opens it
 * than when it looked, and git(1) takes it for changed. So numbers are kept for longer than nodes.
 */
import { LRUCache } from 'lru-cache';
import type { NodeFacts } from './node.ts';

/** The files of a large working tree. Those forgotten first go first. */
const MOST_NUMBERS = 65_536;

/** What was forgotten: what it was, and by which name. */
export interface Forgotten extends Pick<NodeFacts, 'kind' | 'identity'> {
  readonly parent: number;
  readonly name: string;
}

export class RestingNumbers {
  readonly #numbers = new LRUCache<number | string, number>({ max: MOST_NUMBERS });

  rest(node: Forgotten, number: number): void {
    this.#numbers.set(keyOf(node), number);
  }

  /** The number that it had, which rests no longer. */
  take(node: Forgotten): number | undefined {
    const key = keyOf(node);
    const number = this.#numbers.get(key);
    this.#numbers.delete(key);
    return number;
  }
}

/** Of a folder nothing but its name tells which it is. */
function keyOf({ kind, identity, parent, name }: Forgotten): number | string {
  return kind === 'file' ? identity : `${parent}/${name}`;
}
