/** SEMANTICS: two mounts of one machine were killed, and each still owed the service the deletion of a file of the same name. */
import { expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { textsOf } from '../support/stored-state.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const settings = { writeBack: true };
const away = { operation: 'deleteObject', times: Infinity, fault: { kind: 'reset' } } as const;

interface Killed {
  readonly scene: FileSystemForTest;
  /** A mount over the disk of one of the two, which takes over what the other left. */
  readonly next: () => Promise<MountedFileSystem>;
}

/** Both have unlinked `x`; `between`: what the one stores there after the other has unlinked it. */
async function bothUnlinked(between?: string): Promise<Killed> {
  const scene = await openForTest({ settings });
  const stateDirectory = await temporaryDirectory();
  const other = await mountOver({ directory: stateDirectory }, scene, { settings });
  await scene.foreignWrite('x', 'seen by both');
  await scene.foreignWrite('y', 'stays');
  for (const fs of [scene.fs, other.operations]) expect(await names(fs, '/')).toContain('x');
  scene.faults.add(away);
  await other.operations.unlink('/x');
  if (between !== undefined) {
    await writeFile(scene.fs, '/x', between);
    await drained(scene.mounted);
    expect(await textsOf(scene)).toMatchObject({ x: between });
  }
  await scene.fs.unlink('/x');
  const [disk, others] = [await diskNow(scene), await diskNow({ stateDirectory })];
  scene.faults.clear();
  return { scene, next: () => mountOver(disk, scene, { settings, adopted: [others] }) };
}

it('which the next mount does, and nothing is owed any more [write-back/crash]', async () => {
  const { scene, next } = await bothUnlinked();

  const mounted = await next();

  await expect.poll(() => textsOf(scene)).toEqual({ y: 'stays' });
  await mounted.close({ patience: 1000 });
  const last = await next();
  expect(await last.unsent.list()).toEqual([]);
});

it('each as it saw it: the next mount deletes what either has meant [write-back/crash]', async () => {
  const { scene, next } = await bothUnlinked('stored by the one');

  const mounted = await next();

  expect(await names(mounted.operations, '/')).toEqual(['y']);
  await expect.poll(() => textsOf(scene)).toEqual({ y: 'stays' });
  await expect.poll(() => mounted.unsent.list()).toEqual([]);
});
