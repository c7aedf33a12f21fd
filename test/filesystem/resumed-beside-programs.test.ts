/** SEMANTICS: what programs, and others, have put under the new name of a rename that a crash had cut is not lost to it, nor is what it should move. */
import { expect, it } from 'vitest';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { LogForTest, openToRewrite, writeAt } from '../support/program-acts.ts';
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

    await expect.poll(async () => (await next.unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
    await drained(next);

    expect(await textsOf(cut.scene)).toEqual({ 'e/old': 'old', 'e/new': 'THEIRS', 'd/new': 'never stored' });
  },
);
