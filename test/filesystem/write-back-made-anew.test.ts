/** SEMANTICS: with write-back, a file that was unlinked and made anew just as it was is no file to be deleted, however the mount ends. */
import { ClassicLevel } from 'classic-level';
import { expect, it, vi } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { disksAtEachCommit } from '../support/journal-commits.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

const settings = { writeBack: true } as const;

it('is there after a kill at any moment of its upload, and after that [write-back/again] [crash/promised]', async () => {
  const scene = await openForTest({ settings });
  await scene.foreignWrite('f', 'the same');
  scene.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'reset' } });
  await scene.fs.unlink('/f');
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'the same');
  await scene.fs.flush(handle);

  const disks = await disksAtEachCommit(scene, () => scene.fs.fsync(handle));
  scene.faults.clear();

  for (const disk of disks) {
    const next = await mountOver(disk, scene, { settings });
    await drained(next);
    expect(await textOf(scene, 'f')).toBe('the same');
    await next.close({ patience: 1000 });
  }
  expect(disks.length).toBeGreaterThan(1);
});

it('is there at the next mount, though the local disk did not take that it had been deleted [write-back/again]', async () => {
  const scene = await openForTest({ settings });
  await scene.foreignWrite('f', 'the same');
  await scene.fs.unlink('/f');
  const batch = vi.spyOn(ClassicLevel.prototype, 'batch').mockRejectedValueOnce(new Error('disk full'));
  await drained(scene.mounted);
  batch.mockRestore();
  expect(await textOf(scene, 'f')).toBe('(none)');
  await writeFile(scene.fs, '/f', 'the same');
  await drained(scene.mounted);

  await drained(await mountOver(await diskNow(scene), scene, { settings }));

  expect(await textOf(scene, 'f')).toBe('the same');
});

it('half of it is kept, though what is still to be deleted has those very bytes [write-back/again] [crash/half]', async () => {
  const scene = await openForTest({ settings });
  await scene.foreignWrite('f', 'the same');
  scene.faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 503 } });
  await scene.fs.unlink('/f');
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'the same');
  const disk = await diskNow(scene);
  scene.faults.clear();

  const next = await mountOver(disk, scene, { settings });

  await drained(next);
  expect(await textOf(scene, 'f')).toBe('(none)');
  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside', bytes: 8 }]);
});
