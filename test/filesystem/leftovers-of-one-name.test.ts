/** SEMANTICS: two mounts of one machine were killed, and each left a file of the same name: one of them is stored. */
import { expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { openToEdit } from '../support/program-acts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface TwoMounts {
  readonly scene: FileSystemForTest;
  readonly first: FileSystemOperations;
  readonly second: FileSystemOperations;
  /** Kills both; the next mount of the one takes over what the other left, and can store it. */
  readonly next: (settings?: Partial<FileSystemSettings>) => Promise<MountedFileSystem>;
}

async function twoMounts(): Promise<TwoMounts> {
  const scene = await openForTest();
  const stateDirectory = await temporaryDirectory();
  const other = await mountOver({ directory: stateDirectory }, scene);
  const next: TwoMounts['next'] = async (settings = {}) => {
    const [disk, others] = [await diskNow(scene), await diskNow({ stateDirectory })];
    scene.store.changeAccount({ gracePeriod: false });
    return mountOver(disk, scene, { settings, adopted: [others] });
  };
  return { scene, first: scene.fs, second: other.operations, next };
}

/** Writes a file that the service does not take for now; a second later something else may be done. */
async function writeUnsent({ scene }: TwoMounts, fs: FileSystemOperations, path: string, text: string) {
  scene.store.changeAccount({ gracePeriod: true });
  await expect(writeFile(fs, path, text)).rejects.toMatchObject({ code: 'EDQUOT' });
  scene.clock.advance(1000);
}

it('the one that was renamed to the name last is, though the other was written after it [crash/half]', async () => {
  const mounts = await twoMounts();
  await writeUnsent(mounts, mounts.first, '/new', 'renamed last');
  await writeUnsent(mounts, mounts.second, '/f', 'written before that');
  await mounts.first.rename('/new', '/f', false);

  const next = await mounts.next();

  expect((await readFile(next.operations, '/f')).toString()).toBe('renamed last');
  expect(next.setAside).toHaveLength(1);
});

it('the other is named as the next mount begins, and not once more as it ends [crash/half] [write/unmount]', async () => {
  const mounts = await twoMounts();
  await writeUnsent(mounts, mounts.first, '/f', 'earlier');
  await writeUnsent(mounts, mounts.second, '/f', 'later');

  const next = await mounts.next({ writeBack: true });
  await expect.poll(() => mounts.scene.stored('f').then(String)).toBe('later');

  expect(next.setAside).toMatchObject([{ key: 'f' }]);
  expect(await next.close({ patience: 1000 })).toEqual([]);
});

it('the one that was written last is, though the mode of the other was set and its upload tried after that [crash/half]', async () => {
  const mounts = await twoMounts();
  await writeUnsent(mounts, mounts.first, '/f', 'earlier');
  await writeUnsent(mounts, mounts.second, '/f', 'later');
  await mounts.first.setAttributes('/f', { mode: 0o600 });
  const handle = await openToEdit(mounts.first, '/f');
  await expect(mounts.first.fsync(handle)).rejects.toMatchObject({ code: 'EDQUOT' });

  const next = await mounts.next();

  expect((await readFile(next.operations, '/f')).toString()).toBe('later');
});

it('the one that the disk does not set aside is listed as well, and no writer waits for its room [crash/half]', async () => {
  const mounts = await twoMounts();
  const { scene } = mounts;
  await writeUnsent(mounts, mounts.first, '/f', 'x'.repeat(80_000));
  await writeUnsent(mounts, mounts.second, '/f', 'later');
  refuseCommits('set aside');

  const next = await mounts.next({ cache: 'disk', cacheSize: 100_000 });
  await expect.poll(() => scene.stored('f').then(String)).toBe('later');
  scene.clock.advance(1000);

  await writeFile(next.operations, '/g', 'y'.repeat(80_000));

  const left = await next.unsent.list();
  expect(left.map(({ path, state, bytes }) => [path, state, bytes])).toEqual([['/f', 'set aside', 80_000]]);
});
