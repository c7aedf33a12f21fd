/** Which operations on files may a run of the property be made of? Data only, so that a failing run can be made smaller. */
import * as fc from 'fast-check';
import { BLOCK_SIZE } from '../../src/content/block-cache.ts';
import type { Access } from './program-files.ts';

/** `handle`: one of those open, counted round; without any, the operation is passed over. */
export type FileOperation =
  | { readonly kind: 'open'; readonly path: string; readonly access: Access }
  | {
      readonly kind: 'write';
      readonly handle: number;
      /** `end`: append. */
      readonly at: number | 'end';
      readonly size: number;
      readonly seed: number;
    }
  | { readonly kind: 'read'; readonly handle: number; readonly at: number; readonly size: number }
  | { readonly kind: 'truncate'; readonly target: number | string; readonly size: number }
  | { readonly kind: 'end'; readonly handle: number; readonly how: 'close' | 'closeDuplicate' | 'abandon' }
  | { readonly kind: 'sync'; readonly handle: number }
  | { readonly kind: 'stat'; readonly target: number | string }
  | { readonly kind: 'list'; readonly folder: string }
  | { readonly kind: 'unlink'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly noReplace: boolean };

/** Existing folders, relative to where the run plays, and the files in them. */
export const MODEL_FOLDERS = ['', '/d'];
const paths = fc.constantFrom('/a', '/b.txt', '/d/a', '/d/c');
const handles = fc.nat(7);

const sizes = fc.oneof(
  { weight: 3, arbitrary: fc.nat(40) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(BLOCK_SIZE - 3, BLOCK_SIZE, BLOCK_SIZE + 5, 2 * BLOCK_SIZE + 7),
  },
);

const accesses: fc.Arbitrary<Access> = fc
  .record({
    mode: fc.constantFrom('read', 'write', 'both', 'both'),
    truncate: fc.boolean(),
    create: fc.constantFrom<Access['create'][]>('no', 'yes', 'yes', 'exclusive'),
  })
  .map(({ mode, truncate, create }) => ({
    read: mode !== 'write',
    write: mode !== 'read',
    truncate: truncate && mode !== 'read',
    create,
  }));

const operation: fc.Arbitrary<FileOperation> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('open' as const), path: paths, access: accesses }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      handle: handles,
      at: fc.oneof(sizes, fc.constant('end' as const)),
      size: sizes,
      seed: fc.integer({ min: 1, max: 1000 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('read' as const), handle: handles, at: sizes, size: sizes }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('truncate' as const),
      target: fc.oneof(handles, paths),
      size: sizes,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      handle: handles,
      how: fc.constantFrom('close' as const, 'close' as const, 'closeDuplicate' as const, 'abandon' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sync' as const), handle: handles }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('stat' as const), target: fc.oneof(handles, paths) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('list' as const), folder: fc.constantFrom(...MODEL_FOLDERS) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unlink' as const), path: paths }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      from: paths,
      to: paths,
      noReplace: fc.boolean(),
    }),
  },
);

/** Sizes of files that are there before the run, by path. */
export const earlierFiles: fc.Arbitrary<{ readonly path: string; readonly size: number }[]> = fc.uniqueArray(
  fc.record({ path: paths, size: sizes }),
  { selector: ({ path }) => path, maxLength: 3 },
);

/** 30 operations on average: a fixed number could not be made smaller. */
export const fileOperations: fc.Arbitrary<FileOperation[]> = fc.array(operation, {
  minLength: 1,
  maxLength: 60,
  size: 'max',
});
