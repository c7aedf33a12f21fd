/** SEMANTICS: the service is away when the next mount looks at a rename that a crash had cut: nothing of it goes up under the wrong name. */
import { expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  openForTest,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { LogForTest } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than the next mount waits until it looks again. */
const LONG = 31_000;
/** Asked first about the rename of a file to `g`. */
const FIRST_LOOK = { operation: 'headObject', key: 'g' } as const;
const MODES = [{ writeBack: false }, { writeBack: true }];

it.each(MODES)(
  'what a close had promised is under its new name once, and not under the old one, next mount writeBack: $writeBack [rename/crash] [write-back/crash]',
  async (settings) => {
    const killed = await killedAfterCopy(['f']);
    const { scene } = killed;
    const next = await mountInVain(killed, settings);

    scene.clock.advance(LONG);

    await expect.poll(() => next.unsent.list()).toEqual([]);
    expect(await textsOf(scene)).toEqual({ g: 'new f' });
  },
);

it.each(MODES)(
  'what was promised of the file that was replaced does not come back, next mount writeBack: $writeBack [rename/crash] [write-back/crash]',
  async (settings) => {
    const killed = await killedAfterCopy(['f', 'g']);
    const { scene } = killed;
    const next = await mountInVain(killed, settings);

    scene.clock.advance(LONG);

    await expect.poll(() => next.unsent.list()).toEqual([]);
    await drained(next);
    expect(await textsOf(scene)).toEqual({ g: 'new f' });
  },
);

it.each(MODES)(
  'what was promised in a folder goes along with it, never stored before or not, next mount writeBack: $writeBack [rename/crash] [rename/folders]',
  async (settings) => {
    const killed = await killedBefore('e/', async ({ fs, foreignWrite }) => {
      await foreignWrite('d/old', 'old');
      await writeFile(fs, '/d/old', 'promised');
      await writeFile(fs, '/d/new', 'never stored');
      await fs.rename('/d', '/e', false);
    });
    const { scene } = killed;
    const next = await mountInVain(killed, settings, { operation: 'listObjects' });

    scene.clock.advance(LONG);

    await expect.poll(() => next.unsent.list()).toEqual([]);
    expect(await textsOf(scene)).toEqual({ 'e/new': 'never stored', 'e/old': 'promised' });
  },
);

it('what was promised stays where it is when the copy was never stored, and is stored there [rename/crash] [write-back/crash]', async () => {
  const killed = await killedBefore('g', async ({ fs, foreignWrite }) => {
    await foreignWrite('f', 'old');
    await writeFile(fs, '/f', 'promised');
    await fs.rename('/f', '/g', false);
  });
  const { scene } = killed;
  const next = await mountInVain(killed);

  scene.clock.advance(LONG);

  await expect.poll(() => next.unsent.list()).toEqual([]);
  expect(await textsOf(scene)).toEqual({ f: 'promised' });
});

it('the end of the mount before the next look leaves it to the mount after that, and says so [write/unmount]', async () => {
  const killed = await killedAfterCopy(['f']);
  const { scene, disk } = killed;
  const next = await mountInVain(killed);

  expect(await next.close({ patience: 60_000 })).toMatchObject([
    { path: '/f', reason: expect.stringContaining('rename') as string },
  ]);

  expect(await textsOf(scene)).toEqual({ f: 'old f', g: 'new f' });
  const last = await mountOver(disk, scene);
  await expect.poll(() => last.unsent.list()).toEqual([]);
  expect(await textsOf(scene)).toEqual({ g: 'new f' });
});

it('the end of the mount while it looks leaves it to the mount after that, and says so [write/unmount]', async () => {
  const { scene, disk } = await killedAfterCopy([]);
  const service = new InterceptedService(scene.service, async ({ operation }, proceed) =>
    operation === 'headObject' ? new Promise<never>(() => undefined) : proceed(),
  );
  const next = await mountOver(disk, scene, { service });

  expect(await next.close({ patience: 1000 })).toMatchObject([
    { path: '/f', reason: 'not renamed yet: the next mount goes on with it' },
  ]);
});

it('other files that wait are stored meanwhile [write-back/crash]', async () => {
  const killed = await killedAfterCopy(['f', 'other']);
  const { scene } = killed;

  await mountInVain(killed, { writeBack: true });

  await expect.poll(() => textsOf(scene)).toMatchObject({ f: 'old f', other: 'new other' });
});

it('who deletes it meanwhile, and makes another of its name, has that there [rename/crash] [write-back/unlink]', async () => {
  const killed = await killedAfterCopy(['f']);
  const { scene } = killed;
  const next = await mountInVain(killed, { writeBack: true });
  const passing = { kind: 'status', status: 503 } as const;
  scene.faults.add({ operation: 'putObject', key: 'f', times: Infinity, fault: passing });
  // As often as the deletion is tried before the second look.
  scene.faults.add({ operation: 'deleteObject', key: 'f', times: 2, fault: passing });
  await next.operations.unlink('/f');
  await writeFile(next.operations, '/f', 'another');
  await expect
    .poll(async () => (await next.unsent.list()).map(({ kind, attempts }) => [kind, attempts]))
    .toContainEqual(['delete', 1]);

  scene.clock.advance(LONG);

  await expect.poll(async () => (await next.unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
  scene.faults.clear();
  await drained(next);
  expect(await textsOf(scene)).toEqual({ f: 'another', g: 'new f' });
});

it('who renames a new file over it meanwhile has that there [rename/crash] [write-back/rename]', async () => {
  const killed = await killedAfterCopy([]);
  const { scene } = killed;
  const next = await mountInVain(killed, { writeBack: true });
  scene.faults.add({ operation: 'putObject', key: 'f', fault: { kind: 'status', status: 503 } });
  await writeFile(next.operations, '/x', 'another');
  await next.operations.rename('/x', '/f', false);

  scene.clock.advance(LONG);

  await expect.poll(async () => (await next.unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
  await drained(next);
  expect(await textsOf(scene)).toEqual({ f: 'another', g: 'old f' });
});

it('says of a rename that the service refuses why it is not finished, and finishes it when a person asks [uploads/list] [uploads/retry]', async () => {
  const killed = await killedAfterCopy([]);
  const { scene, disk } = killed;
  const log = new LogForTest();
  scene.faults.add({ ...FIRST_LOOK, times: Infinity, fault: { kind: 'status', status: 403 } });
  const next = await mountOver(disk, scene, { settings: { writeBack: true }, log });
  await expect.poll(() => log.about('could not be finished yet')).toHaveLength(1);
  const refused = { kind: 'rename', state: 'failed', path: '/f', to: '/g', code: 'EACCES' };
  await expect
    .poll(() => next.unsent.list())
    .toMatchObject([{ ...refused, attempts: 1, reason: expect.any(String) as string }]);

  expect(await next.unsent.retry(null)).toMatchObject([{ kind: 'rename', path: '/f', isDone: false }]);
  const [failed] = await next.unsent.list();
  expect(failed).toMatchObject({ ...refused, attempts: 2 });
  expect(await next.unsent.discard([failed?.id ?? ''])).toMatchObject([{ isDone: false }]);

  scene.faults.clear();
  expect(await next.unsent.retry(null)).toMatchObject([{ kind: 'rename', path: '/f', isDone: true }]);
  expect(await next.unsent.list()).toEqual([]);
  expect(await textsOf(scene)).toEqual({ g: 'old f' });
});

it('is finished at once when a person asks before the next look [uploads/retry]', async () => {
  const killed = await killedAfterCopy(['f']);
  const { scene } = killed;
  const next = await mountInVain(killed, { writeBack: true });
  expect(await next.unsent.list()).toMatchObject([
    { kind: 'upload', path: '/f' },
    { kind: 'rename', state: 'failed', path: '/f', code: 'EIO', attempts: 1 },
  ]);

  await next.unsent.retry(null);

  expect(await next.unsent.list()).toEqual([]);
  expect(await textsOf(scene)).toEqual({ g: 'new f' });
  scene.clock.advance(LONG);
  expect(await textsOf(scene)).toEqual({ g: 'new f' });
});

/** The next mount, whose first look at the rename finds the service away: a `request` without an answer. */
async function mountInVain(
  { scene, disk }: Killed,
  settings: TestOptions['settings'] = {},
  request: { readonly operation: 'headObject' | 'listObjects'; readonly key?: string } = FIRST_LOOK,
): Promise<MountedFileSystem> {
  const log = new LogForTest();
  scene.faults.add({ ...request, fault: { kind: 'status', status: 503 } });
  const next = await mountOver(disk, scene, { settings, log });
  await expect.poll(() => log.about('could not be finished yet')).toHaveLength(1);
  return next;
}

interface Killed {
  readonly scene: FileSystemForTest;
  readonly disk: DiskImage;
}

/** In the middle of the rename of `f` over `g`, with the copy stored; closes had promised new content of `promised`. */
async function killedAfterCopy(promised: readonly string[]): Promise<Killed> {
  return killedAt('after', 'g', async ({ fs, foreignWrite }) => {
    for (const key of ['f', 'g']) await foreignWrite(key, `old ${key}`);
    for (const key of promised) await writeFile(fs, `/${key}`, `new ${key}`);
    await fs.rename('/f', '/g', false);
  });
}

/** In `act`, before anything is stored under a key that begins with `key`. */
function killedBefore(key: string, act: (scene: FileSystemForTest) => Promise<void>): Promise<Killed> {
  return killedAt('before', key, act);
}

async function killedAt(
  when: 'before' | 'after',
  prefix: string,
  act: (scene: FileSystemForTest) => Promise<void>,
): Promise<Killed> {
  const disks: Promise<DiskImage>[] = [];
  const die = async (): Promise<void> => {
    if (disks.length === 0) disks.push(diskNow(scene));
    await Promise.all(disks);
  };
  const scene: FileSystemForTest = await openForTest({
    settings: { writeBack: true },
    between: (service) =>
      new InterceptedService(service, async ({ operation, key }, proceed) => {
        const isLast = operation === 'putObject' && key?.startsWith(prefix) === true;
        if (isLast && when === 'before') await die();
        if (disks.length > 0) throw new Error('the process is dead');
        const answer = await proceed();
        if (isLast) await die();
        return answer;
      }),
  });
  await act(scene).catch(() => undefined);
  const [disk] = disks;
  if (disk === undefined) throw new Error('the process did not come so far');
  return { scene, disk: await disk };
}
