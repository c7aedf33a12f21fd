/** SEMANTICS: what programs, and others, have put under the new name of a rename that a crash had cut is not lost to it, nor is what it should move. */
import { expect, it } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { LogForTest, openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Milliseconds after which the rename is looked at again. */
const NEXT_LOOK = 31_000;
const STAYS = 'a file of a rename that a crash had cut stays';

interface Killed {
  readonly scene: FileSystemForTest;
  readonly disk: DiskImage;
}

interface Before {
  /** What the service has, or a close has promised, by key. */
  readonly stored: Readonly<Record<string, string>>;
  readonly promised: Readonly<Record<string, string>>;
  readonly from: string;
  readonly to: string;
  /** The process ends at the first PUT of a copy: before the service has it, or after. */
  readonly at: 'before' | 'after';
}

async function killed({ stored, promised, from, to, at }: Before): Promise<Killed> {
  const disks: Promise<DiskImage>[] = [];
  const die = async (): Promise<never> => {
    disks.push(diskNow(scene));
    await Promise.all(disks);
    throw new Error('the process is dead');
  };
  const scene: FileSystemForTest = await openForTest({
    settings: { writeBack: true },
    between: (service) =>
      new InterceptedService(service, async ({ operation, key }, proceed) => {
        if (disks.length > 0) throw new Error('the process is dead');
        const isCopy = operation === 'putObject' && `/${key}`.startsWith(to);
        if (isCopy && at === 'before') return die();
        const answer = await proceed();
        return isCopy ? die() : answer;
      }),
  });
  for (const [key, text] of Object.entries(stored)) await scene.foreignWrite(key, text);
  for (const [key, text] of Object.entries(promised)) await writeFile(scene.fs, `/${key}`, text);
  await scene.fs.rename(from, to, false).catch(() => undefined);
  const [disk] = await Promise.all(disks);
  if (disk === undefined) throw new Error('nothing was copied');
  return { scene, disk };
}

/** The next mount, whose first look failed: programs go on until the next. */
async function mountWhileAway({ scene, disk }: Killed, writeBack: boolean) {
  const log = new LogForTest();
  for (const operation of ['listObjects', 'headObject'] as const)
    scene.faults.add({ operation, fault: { kind: 'status', status: 503 } });
  const next = await mountOver(disk, scene, { settings: { writeBack }, log });
  await expect.poll(() => log.about('could not be finished yet')).toHaveLength(1);
  scene.faults.clear();
  const lookAgain = async (): Promise<void> => {
    scene.clock.advance(NEXT_LOOK);
    await expect.poll(async () => (await next.unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
  };
  return { next, log, lookAgain };
}

/** The folder has a file that the service does not. */
const WITH_NEW_FILE: Before = {
  stored: { 'd/old': 'old' },
  promised: { 'd/new': 'never stored' },
  from: '/d',
  to: '/e',
  at: 'before',
};

const MODES = [
  { writeBack: true, promised: {} },
  { writeBack: false, promised: {} },
  { writeBack: true, promised: { 'd/old': 'promised', f: 'promised' } },
  { writeBack: false, promised: { 'd/old': 'promised', f: 'promised' } },
];

it.each(MODES)(
  'a file of the folder stays where it is while a program writes one under its new name ($writeBack, $promised) [rename/crash]',
  async ({ writeBack, promised }) => {
    const old = 'd/old' in promised ? { 'd/old': 'promised' } : {};
    const stored = { 'd/old': 'old', 'd/other': 'other' };
    const cut = await killed({ stored, promised: old, from: '/d', to: '/e', at: 'before' });
    const { next, log, lookAgain } = await mountWhileAway(cut, writeBack);
    const handle = await openToRewrite(next.operations, '/e/old');
    await writeAt(next.operations, handle, 'PROGRAM');

    await lookAgain();
    await next.operations.flush(handle);
    await next.operations.release(handle);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({
      'e/old': 'PROGRAM',
      'd/old': 'old',
      'e/other': 'other',
      ...old,
    });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

it.each(MODES)(
  'a file stays where it is while a program writes its copy anew ($writeBack, $promised) [rename/crash]',
  async ({ writeBack, promised }) => {
    const own = 'f' in promised ? { f: 'promised' } : {};
    const cut = await killed({ stored: { f: 'old' }, promised: own, from: '/f', to: '/g', at: 'after' });
    const { next, log, lookAgain } = await mountWhileAway(cut, writeBack);
    const handle = await openToRewrite(next.operations, '/g');
    await writeAt(next.operations, handle, 'PROGRAM');

    await lookAgain();
    await next.operations.flush(handle);
    await next.operations.release(handle);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ f: 'old', ...own, g: 'PROGRAM' });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

it.each([true, false])(
  'what was never stored stays where it is when a program has closed a file under its new name (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killed(WITH_NEW_FILE);
    const { next, lookAgain } = await mountWhileAway(cut, writeBack);
    await next.operations.mkdir('/e', 0o755).catch(() => undefined);
    await writeFile(next.operations, '/e/new', 'PROGRAM');

    await lookAgain();
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ 'e/old': 'old', 'e/new': 'PROGRAM', 'd/new': 'never stored' });
  },
);

it.each([true, false])(
  'what was never stored stays where it is when others have stored a file under its new name (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killed(WITH_NEW_FILE);
    await cut.scene.foreignWrite('e/new', 'THEIRS');
    const next = await mountOver(cut.disk, cut.scene, { settings: { writeBack } });

    await ended(next);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ 'e/old': 'old', 'e/new': 'THEIRS', 'd/new': 'never stored' });
  },
);

it.each([true, false])(
  'a program writes both files anew while the rename is looked at: each keeps what was written to it (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killed({ stored: { f: 'old' }, promised: {}, from: '/f', to: '/g', at: 'after' });
    const { next, letGo } = await mountWhileLooking(cut, writeBack);
    const { operations: fs } = next;
    const handles = await Promise.all(['/g', '/f'].map((path) => openToRewrite(fs, path)));
    for (const [index, handle] of handles.entries()) await writeAt(fs, handle, `PROGRAM ${index}`);
    letGo();

    await ended(next);
    for (const handle of handles) await fs.flush(handle);
    for (const handle of handles) await fs.release(handle);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ g: 'PROGRAM 0', f: 'PROGRAM 1' });
  },
);

it.each([true, false])(
  'what a program writes anew under the old name while the rename is looked at stays there (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await killed({ stored: { f: 'old' }, promised: {}, from: '/f', to: '/g', at: 'after' });
    const { next, log, letGo } = await mountWhileLooking(cut, writeBack);
    const handle = await openToRewrite(next.operations, '/f');
    await writeAt(next.operations, handle, 'PROGRAM');
    letGo();

    await ended(next);
    await next.operations.flush(handle);
    await next.operations.release(handle);
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ f: 'PROGRAM', g: 'old' });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

it('who opens the old name to write while the old file is being deleted finds it gone, or makes a new one [rename/crash]', async () => {
  const cut = await killed({ stored: { f: 'old' }, promised: {}, from: '/f', to: '/g', at: 'after' });
  const deleting = holdNext(cut.scene.service, 'deleteObject');
  const next = await mountOver(cut.disk, cut.scene, { settings: { writeBack: true } });
  await deleting.begun;
  const editing = openToEdit(next.operations, '/f');
  const writing = writeFile(next.operations, '/f', 'PROGRAM');
  editing.catch(() => undefined);
  deleting.letGo();

  await expect(editing).rejects.toMatchObject({ code: 'ENOENT' });
  await writing;
  await drained(next);

  expect(await textsOf(cut.scene)).toEqual({ f: 'PROGRAM', g: 'old' });
});

it('what a program writes to the new name while a reader has the old file open is what the name shows [rename/crash]', async () => {
  const cut = await killed({ stored: { f: 'old' }, promised: {}, from: '/f', to: '/g', at: 'after' });
  const { next, letGo } = await mountWhileLooking(cut, true);
  const { operations: fs } = next;
  const reader = await fs.open('/f', { read: true, write: false, truncate: false });
  const handle = await openToRewrite(fs, '/g');
  await writeAt(fs, handle, 'PROGRAM');
  letGo();

  await ended(next);

  expect((await readFile(fs, '/g')).toString()).toBe('PROGRAM');
  await fs.release(reader);
  await fs.flush(handle);
  await fs.release(handle);
  await drained(next);
  expect(await textsOf(cut.scene)).toEqual({ g: 'PROGRAM' });
});

/** The next mount, whose first look does not end before `letGo`. */
async function mountWhileLooking({ scene, disk }: Killed, writeBack: boolean) {
  const log = new LogForTest();
  const look = holdNext(scene.service, 'headObject');
  const next = await mountOver(disk, scene, { settings: { writeBack }, log });
  await look.begun;
  return { next, log, letGo: look.letGo };
}

async function ended(next: MountedFileSystem): Promise<void> {
  await expect.poll(async () => (await next.unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
}
