/** A machine on which nobody ever set local attributes. */
import type { KeptLocals } from '../../src/namespace/kept-locals.ts';

export const nothingKept: KeptLocals = {
  ofFolder: () => Promise.resolve({ recall: () => undefined, onlyThese: () => undefined }),
  ofFile: () => Promise.resolve({ recall: () => undefined }),
  changed: () => undefined,
};
