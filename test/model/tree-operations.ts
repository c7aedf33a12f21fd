/** Which operations on a tree, ours and others', may a run of the property be made of? Data only. */
import * as fc from 'fast-check';

export const TREE_FILES = ['/f', '/p/g', '/p/s/h', '/q/g'];
export const TREE_FOLDERS = ['/p', '/p/s', '/q'];
/** Milliseconds: the mount's. */
export const TREE_TTL = 10_000;

export type HoldAccess = 'read' | 'append' | 'rewrite';
export type Visibility = 'public' | 'private';

/** Of others. */
export type ForeignOperation =
  | { readonly kind: 'foreignPut' | 'foreignDelete'; readonly path: string }
  | { readonly kind: 'foreignVisibility'; readonly path: string; readonly visibility: Visibility };

/** A file that stays open over other operations. */
export type HeldOperation =
  | { readonly kind: 'hold'; readonly path: string; readonly access: HoldAccess }
  | { readonly kind: 'heldRead' | 'heldClose'; readonly held: number };

type WholeKind =
  'write' | 'append' | 'read' | 'unlink' | 'getVisibility' | 'stat' | 'list' | 'mkdir' | 'rmdir';

/** Whole in itself. */
export type OwnOperation =
  | { readonly kind: WholeKind; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'setVisibility'; readonly path: string; readonly visibility: Visibility }
  | { readonly kind: 'advance'; readonly milliseconds: number };

export type TreeOperation = ForeignOperation | HeldOperation | OwnOperation;

const files = fc.constantFrom(...TREE_FILES);
const visibilities = fc.constantFrom<Visibility[]>('public', 'private');

const operation: fc.Arbitrary<TreeOperation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'write' as const,
        'write' as const,
        'append' as const,
        'read' as const,
        'read' as const,
        'unlink' as const,
        'getVisibility' as const,
      ),
      path: files,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('foreignPut' as const, 'foreignPut' as const, 'foreignDelete' as const),
      path: files,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('stat' as const),
      path: fc.constantFrom(...TREE_FILES, ...TREE_FOLDERS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('list' as const), path: fc.constantFrom('/', ...TREE_FOLDERS) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('mkdir' as const, 'mkdir' as const, 'rmdir' as const),
      path: fc.constantFrom(...TREE_FOLDERS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rename' as const), path: files, to: files }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('setVisibility' as const, 'foreignVisibility' as const),
      path: files,
      visibility: visibilities,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      path: files,
      access: fc.constantFrom<HoldAccess[]>('read', 'append', 'rewrite'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('heldRead' as const, 'heldClose' as const),
      held: fc.nat(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      milliseconds: fc.constantFrom(1, 2000, 5000, TREE_TTL - 1, TREE_TTL, 25_000),
    }),
  },
);

/** 30 operations on average: a fixed number could not be made smaller. */
export const treeOperations: fc.Arbitrary<TreeOperation[]> = fc.array(operation, {
  minLength: 1,
  maxLength: 60,
  size: 'max',
});
