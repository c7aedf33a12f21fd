/** SEMANTICS: the local disk says that it has not taken the record of a rename, and has: the rename has failed, also for the next mount. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { denyCommit, refuseCommits } from '../support/journal-commits.ts';
import { openForTest } from '../support/open-for-test.ts';
import { errnoOfCall, LogForTest } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it('a folder whose rename has failed so keeps its name [rename/undo] [rename/crash]', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('d/a', 'one');
  await scene.foreignWrite('d/b', 'two');
  denyCommit('put rename/');
  expect(await errnoOfCall(scene.fs.rename('/d', '/e', false))).toBe('EIO');
  const disk = await diskNow(scene);

  const next = await mountOver(disk, scene);

  expect(await next.close({ patience: 60_000 })).toEqual([]);
  expect(await textsOf(scene)).toEqual({ 'd/a': 'one', 'd/b': 'two' });
});

it('what programs make of the names of a file whose rename has failed so stays [rename/undo] [rename/crash]', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('a', 'bytes');
  denyCommit('put rename/');
  expect(await errnoOfCall(scene.fs.rename('/a', '/b', false))).toBe('EIO');
  await scene.fs.rename('/a', '/b', false);
  await scene.foreignWrite('a', 'bytes');
  const disk = await diskNow(scene);

  const next = await mountOver(disk, scene);

  expect(await next.close({ patience: 60_000 })).toEqual([]);
  expect(await textsOf(scene)).toEqual({ a: 'bytes', b: 'bytes' });
});

it('nothing is left of the record of a rename that is undone, where the disk does not take that [rename/undo]', async () => {
  const scene = await openForTest();
  for (const name of ['a', 'b', 'c']) await scene.foreignWrite(`d/${name}`, name);
  scene.faults.add({
    operation: 'putObject',
    key: 'e/c',
    times: Infinity,
    fault: { kind: 'status', status: 403 },
  });
  refuseCommits('put rename/', '"from":"e/"');
  expect(await errnoOfCall(scene.fs.rename('/d', '/e', false))).toBe('EACCES');
  const log = new LogForTest();

  await mountOver(await diskNow(scene), scene, { log });

  expect(log.about('record of a rename is damaged')).toEqual([]);
  expect(await textsOf(scene)).toEqual({ 'd/a': 'a', 'd/b': 'b', 'd/c': 'c' });
});
