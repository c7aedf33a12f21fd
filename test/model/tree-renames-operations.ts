/** Of which operations may a run be made that renames folders? Data only. */
import * as fc from 'fast-check';
import type { Fault } from '../../src/server/faults.ts';

const NAMES = ['a', 'b'];
const tops = NAMES.map((name) => `/${name}`);
const seconds = tops.flatMap((top) => NAMES.map((name) => `${top}/${name}`));
/** Each may be a file or a folder. */
const PATHS = [...tops, ...seconds, ...seconds.flatMap((path) => NAMES.map((name) => `${path}/${name}`))];

/** What happens while a folder is renamed, at its request number `at`. */
export type Disturbance =
  | { readonly kind: 'none' }
  /** `times` requests from that one on go wrong. */
  | { readonly kind: 'fault'; readonly at: number; readonly times: number; readonly fault: Fault }
  /** Somebody else stores a file in the folder, or in one inside: which one `folder` says. */
  | { readonly kind: 'addition'; readonly at: number; readonly folder: number };

export type RenameTreeOperation =
  | { readonly kind: 'write' | 'mkdir' | 'remove' | 'hide'; readonly path: string }
  | { readonly kind: 'hold'; readonly path: string; readonly access: 'read' | 'append' | 'rewrite' }
  | { readonly kind: 'heldClose'; readonly held: number }
  | { readonly kind: 'advance'; readonly milliseconds: number }
  | { readonly kind: 'look' }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  /** Renames one of the folders that there are: which one `folder` says. */
  | {
      readonly kind: 'renameFolder';
      readonly folder: number;
      readonly to: string;
      readonly disturbance: Disturbance;
    };

const paths = fc.constantFrom(...PATHS);
const shallow = fc.constantFrom(...tops, ...seconds);
/** Mostly free. */
const others = fc.constantFrom('/c', '/d', '/a/c', '/b/c');
/** Fewer requests than most renames make. */
const requests = fc.nat(16);

const disturbances: fc.Arbitrary<Disturbance> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Disturbance>({ kind: 'none' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      at: requests,
      times: fc.constantFrom(1, 1, 2, 5),
      fault: fc.constantFrom<Fault[]>(
        { kind: 'status', status: 503 },
        { kind: 'status', status: 403 },
        { kind: 'status', status: 402 },
        { kind: 'lost-answer' },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('addition' as const), at: requests, folder: fc.nat(5) }),
  },
);

const operation: fc.Arbitrary<RenameTreeOperation> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('renameFolder' as const),
      folder: fc.nat(9),
      to: fc.oneof(paths, others),
      disturbance: disturbances,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('rename' as const), path: shallow, to: paths }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constantFrom('write' as const, 'write' as const, 'mkdir' as const, 'remove' as const),
      path: paths,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hide' as const), path: shallow }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      path: paths,
      access: fc.constantFrom('read' as const, 'append' as const, 'rewrite' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('heldClose' as const), held: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      milliseconds: fc.constantFrom(1, 3000, 25_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant<RenameTreeOperation>({ kind: 'look' }) },
);

/** What is there before: some of these keys, and folders for those that end in a slash. */
export const firstKeys: fc.Arbitrary<string[]> = fc.subarray([
  'a/a',
  'a/b/a',
  'a/b/b',
  'a/b/c',
  'a/c/a',
  'b/a/a',
  'b/a/b/',
  'b/b/',
]);

export const renameTreeOperations: fc.Arbitrary<RenameTreeOperation[]> = fc.array(operation, {
  minLength: 1,
  maxLength: 30,
  size: 'max',
});
