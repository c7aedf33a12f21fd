/** What has a mount left that was killed while it renamed a file or a folder, and what does the next one do before it has finished that? */
import { expect } from 'vitest';
import type { MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import { diskNow, mountOver, type DiskImage } from './after-a-crash.ts';
import { holdNext } from './hold-next.ts';
import { InterceptedService } from './intercepted-service.ts';
import { openForTest, writeFile, type FileSystemForTest } from './open-for-test.ts';
import { edit, LogForTest } from './program-acts.ts';

/** Milliseconds after which the rename is looked at again. */
const NEXT_LOOK = 31_000;
/** What the log says of what was not renamed. */
export const STAYS = 'a file of a rename that a crash had cut stays';

export interface Killed {
  readonly scene: FileSystemForTest;
  readonly disk: DiskImage;
}

/** The mount after that. */
export interface NextOfCut {
  readonly next: MountedFileSystem;
  readonly log: LogForTest;
}

/** How it was when the process ended. */
export interface CutRename {
  /** What the service has, or a close has promised, by key. */
  readonly stored: Readonly<Record<string, string>>;
  readonly promised: Readonly<Record<string, string>>;
  /** Or of what was added to `from`. */
  readonly edited?: string;
  /** What has a link, of `stored`. */
  readonly published?: string;
  readonly from: string;
  readonly to: string;
  /** The process ends at the first PUT of a copy: before the service has it, or after. */
  readonly at: 'before' | 'after';
}

/** A write-back mount that is killed in the middle of its rename. */
export async function killedInRename(cut: CutRename): Promise<Killed> {
  const { stored, promised, edited, published, from, to, at } = cut;
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
  if (published !== undefined) await scene.direct.setVisibility(scene.bucket, published, 'public');
  for (const [key, text] of Object.entries(promised)) await writeFile(scene.fs, `/${key}`, text);
  if (edited !== undefined) await edit(scene.fs, from, edited, 3);
  await scene.fs.rename(from, to, false).catch(() => undefined);
  const [disk] = await Promise.all(disks);
  if (disk === undefined) throw new Error('nothing was copied');
  return { scene, disk };
}

/** The next mount, whose first look failed: programs go on until the next. */
export async function mountWhileAway(
  { scene, disk }: Killed,
  writeBack: boolean,
): Promise<NextOfCut & { readonly lookAgain: () => Promise<void> }> {
  const log = new LogForTest();
  for (const operation of ['listObjects', 'headObject'] as const)
    scene.faults.add({ operation, fault: { kind: 'status', status: 503 } });
  const next = await mountOver(disk, scene, { settings: { writeBack }, log });
  await expect.poll(() => log.about('could not be finished yet')).toHaveLength(1);
  scene.faults.clear();
  const lookAgain = async (): Promise<void> => {
    scene.clock.advance(NEXT_LOOK);
    await ended(next);
  };
  return { next, log, lookAgain };
}

/** The next mount, whose first look does not end before `letGo`. */
export async function mountWhileLooking(
  { scene, disk }: Killed,
  writeBack: boolean,
): Promise<NextOfCut & { readonly letGo: () => void }> {
  const log = new LogForTest();
  const look = holdNext(scene.service, 'headObject');
  const next = await mountOver(disk, scene, { settings: { writeBack }, log });
  await look.begun;
  return { next, log, letGo: look.letGo };
}

/** Resolves when no rename waits any more. */
export async function ended(next: MountedFileSystem): Promise<void> {
  await expect.poll(async () => (await next.unsent.list()).map(({ kind }) => kind)).not.toContain('rename');
}
