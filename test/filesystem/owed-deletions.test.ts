/** What is looked at together when one of very many deletions is to go. */
import { expect, it } from 'vitest';
import { OwedDeletions, type Deletion } from '../../src/filesystem/write-back/owed-deletions.ts';
import { owedDeletion } from '../../src/filesystem/write-back/deletion-records.ts';

const deletionOf = (path: string): Deletion => ({
  record: owedDeletion(path.slice(1), [], { sequence: 0, at: 0 }),
  versions: [],
  isUnsure: false,
  seenAt: 0,
});

function owing(...paths: string[]): OwedDeletions {
  const owed = new OwedDeletions();
  for (const path of paths) owed.set(path, deletionOf(path));
  return owed;
}

it('those of a folder are found without a look at those of others', () => {
  const owed = owing('/a/1', '/a/2', '/a/b/3', '/ab/4', '/a');

  expect([...owed.in('/a')].map(([path]) => path)).toEqual(['/a/1', '/a/2']);
  expect([...owed.in('/')].map(([path]) => path)).toEqual(['/a']);
  expect([...owed.in('/none')]).toEqual([]);
});

it('those at a path and below it are found, and not those beside it', () => {
  const owed = owing('/a/1', '/a/b/3', '/ab/4', '/a');

  expect(owed.pathsFrom('/a').sort()).toEqual(['/a', '/a/1', '/a/b/3']);
  expect(owed.pathsFrom('/ab/4')).toEqual(['/ab/4']);
  expect(owed.pathsFrom('/a/b/3/4')).toEqual([]);
});

it('a path owes one, and none after that is done', () => {
  const owed = owing('/a/1', '/a/1', '/a/2');

  owed.delete('/a/1');
  expect(owed.paths()).toEqual(['/a/2']);
  owed.delete('/a/2');

  expect(owed.all()).toEqual([]);
  expect(owed.get('/a/2')).toBeUndefined();
});
