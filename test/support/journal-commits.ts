/** What is on the disk, and what may a program do, while the journal is being written to? */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { onTestFinished, vi } from 'vitest';
import { diskNow, type DiskImage } from './after-a-crash.ts';
import type { FileSystemForTest } from './open-for-test.ts';
import { signal } from './signal.ts';
import { temporaryDirectory } from './temporary-directory.ts';

type Rows = readonly { readonly type: 'put' | 'del'; readonly key: string; readonly value?: string }[];

export interface HeldCommit {
  /** Resolves when it is on the disk. */
  readonly made: Promise<void>;
  /** Whoever waits for it hears of it. */
  readonly letGo: () => void;
}

/**
 * The disk as it is whenever the journal is about to be written to while `act` goes on, and afterwards. It does not take the first commit of a row
 * that holds all of `refused`, where that is given.
 */
export async function disksAtEachCommit(
  scene: FileSystemForTest,
  act: () => Promise<void>,
  refused?: readonly string[],
): Promise<DiskImage[]> {
  let toRefuse = refused;
  const disks: DiskImage[] = [];
  const top = await temporaryDirectory();
  const end = aroundCommits(async (rows, commit) => {
    const directory = join(top, String(disks.length));
    cpSync(scene.stateDirectory, directory, { recursive: true });
    disks.push({ directory });
    if (toRefuse !== undefined && hold(rows, toRefuse)) {
      toRefuse = undefined;
      throw new Error('disk full');
    }
    await commit(rows);
  });
  await act().finally(end);
  return [...disks, await diskNow(scene)];
}

/** The next commit of a row that holds all of `parts` is made, and nobody hears of it before it is let go. */
export function holdCommit(...parts: readonly string[]): HeldCommit {
  const made = signal();
  const held = signal();
  const end = aroundCommits(async (rows, commit) => {
    await commit(rows);
    if (!hold(rows, parts)) return;
    end();
    made.give();
    await held.given;
  });
  onTestFinished(() => {
    end();
    held.give();
  });
  return { made: made.given, letGo: held.give };
}

/** `see` is given each row that is committed, until the returned function is called. */
export function onCommits(see: (row: string) => void): () => void {
  const end = aroundCommits(async (rows, commit) => {
    textsOf(rows).forEach(see);
    await commit(rows);
  });
  onTestFinished(end);
  return end;
}

/** The disk takes no row that holds all of `parts`, until the returned function is called. */
export function refuseCommits(...parts: readonly string[]): () => void {
  const end = aroundCommits(async (rows, commit) => {
    if (hold(rows, parts)) throw new Error('disk full');
    await commit(rows);
  });
  onTestFinished(end);
  return end;
}

/** The disk does not take the next commit of a row that holds all of `parts`, and says so when it is let go. */
export function refuseCommitLater(...parts: readonly string[]): Omit<HeldCommit, 'made'> & {
  readonly begun: Promise<void>;
} {
  const begun = signal();
  const held = signal();
  const end = aroundCommits(async (rows, commit) => {
    if (!hold(rows, parts)) return commit(rows);
    end();
    begun.give();
    await held.given;
    throw new Error('disk full');
  });
  onTestFinished(() => {
    end();
    held.give();
  });
  return { begun: begun.given, letGo: held.give };
}

/** The next commit of a row that holds all of `parts` is made, and the disk says that it has failed. */
export function denyCommit(...parts: readonly string[]): void {
  const end = aroundCommits(async (rows, commit) => {
    await commit(rows);
    if (!hold(rows, parts)) return;
    end();
    throw new Error('fsync: input/output error');
  });
  onTestFinished(end);
}

function hold(rows: Rows, parts: readonly string[]): boolean {
  return textsOf(rows).some((text) => parts.every((part) => text.includes(part)));
}

function textsOf(rows: Rows): string[] {
  return rows.map(({ type, key, value = '' }) => `${type} ${key} ${value}`);
}

/** Each commit is what `around` makes of it, until the returned function is called. */
function aroundCommits(around: (rows: Rows, commit: (rows: Rows) => Promise<void>) => Promise<void>) {
  const batch: (...given: never) => unknown = Reflect.get(ClassicLevel.prototype, 'batch');
  const spy = vi.spyOn(ClassicLevel.prototype, 'batch').mockImplementation(async function (
    this: ClassicLevel,
    rows: Rows,
    options: unknown,
  ) {
    await around(rows, async (those) => {
      await Reflect.apply(batch, this, [those, options]);
    });
  } as never);
  return () => {
    spy.mockRestore();
  };
}
