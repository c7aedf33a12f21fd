/** SEMANTICS: a rename that a crash had cut has replaced a file that programs have open to write, and is not finished yet: it is taken again. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import {
  ended,
  killedInRename,
  mountWhileLooking,
  STAYS,
  type Killed,
  type NextOfCut,
} from '../support/cut-rename.ts';
import { drained } from '../support/drained.ts';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { edit, openToEdit, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const NEXT_LOOK = 31_000;

it.each([
  { writeBack: true, isClosed: true, isWrittenBefore: false },
  { writeBack: true, isClosed: false, isWrittenBefore: false },
  { writeBack: true, isClosed: false, isWrittenBefore: true },
  { writeBack: false, isClosed: true, isWrittenBefore: false },
  { writeBack: false, isClosed: false, isWrittenBefore: false },
])(
  'what is written to the file that is replaced is stored beside: write-back $writeBack, closed before the rename is taken again $isClosed, written before it was taken first $isWrittenBefore [rename/crash] [conflict/keep-both]',
  async ({ writeBack, isClosed, isWrittenBefore }) => {
    const cut = await replacedAndNotFinished({ writeBack, isWrittenBefore });
    const { scene, next, handle } = cut;
    const fs = next.operations;
    await writeAt(fs, handle, 'NEWER');
    // Without write-back it fails: its rename is not finished.
    if (isClosed) await fs.flush(handle).catch(() => undefined);

    await takenAgainAndClosed(cut);

    const { g, ...copies } = await textsOf(scene);
    expect({ g, copies: Object.values(copies) }).toEqual({ g: 'promised', copies: ['NEWERced'] });
    expect(await next.unsent.list()).toEqual([]);
  },
);

it('what a close has promised of it meanwhile outlives another crash [rename/crash] [write-back/crash]', async () => {
  const { scene, disk, next, handle } = await replacedAndNotFinished({ writeBack: true });
  await writeAt(next.operations, handle, 'NEWER');
  await next.operations.flush(handle);
  const again = await diskNow({ stateDirectory: disk.directory });
  await next.close({ patience: 0 });
  scene.faults.clear();

  const third = await mountOver(again, scene, { settings: { writeBack: true } });
  await ended(third);
  await drained(third);

  const { f, g, ...copies } = await textsOf(scene);
  // Who has promised something under the new name since keeps that: both names stay.
  expect({ f, g, copies: Object.values(copies) }).toEqual({
    f: 'promised',
    g: 'promised',
    copies: ['NEWERced'],
  });
});

it('what waited there does not come back over what has replaced it after another crash, nor with what a program writes on to it [rename/crash] [crash/half]', async () => {
  const stored = { f: 'old' };
  const promised = { f: 'promised', g: 'replaced' };
  const killed = await killedInRename({ stored, promised, from: '/f', to: '/g', at: 'after' });
  const { scene, disk } = killed;
  const { next, letGo } = await mountWhileLooking(killed, true);
  const handle = await openToEdit(next.operations, '/g');
  await writeAt(next.operations, handle, 'NEW');
  letGo();
  await ended(next);
  const again = await diskNow({ stateDirectory: disk.directory });

  const third = await mountOver(again, scene, { settings: { writeBack: true } });
  await drained(third);

  expect(await textsOf(scene)).toEqual({ g: 'promised' });
  expect(await third.unsent.list()).toMatchObject([{ path: '/g', state: 'set aside', isWhole: false }]);
  // Asked for while it is open.
  await drained(next);
  await next.operations.release(handle);
  const { g, ...copies } = await textsOf(scene);
  expect({ g, copies: Object.values(copies) }).toEqual({ g: 'promised', copies: ['NEWlaced'] });
});

it.each([{}, { g: 'old g' }])(
  'what an edit of it has closed before the service has answered keeps the name, and what was to come its own (%o was stored) [rename/crash]',
  async (replaced) => {
    const stored = { f: 'old', ...replaced };
    const promised = { f: 'promised', g: 'replaced' };
    const killed = await killedInRename({ stored, promised, from: '/f', to: '/g', at: 'after' });
    const { next, log, letGo } = await mountWhileLooking(killed, true);
    await edit(next.operations, '/g', 'NEWER', 0);

    letGo();
    await ended(next);
    await drained(next);

    expect(await textsOf(killed.scene)).toEqual({ f: 'promised', g: 'NEWERced' });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

it.each([true, false])(
  'who writes it anew before the rename is taken again keeps the name, and what was to come its own (write-back %s) [rename/crash]',
  async (writeBack) => {
    const cut = await replacedAndNotFinished({ writeBack });
    const { scene, next, log, handle } = cut;
    const fs = next.operations;
    await fs.truncate('/g', 0, handle);
    await writeAt(fs, handle, 'NEWER');

    await takenAgainAndClosed(cut);

    expect(await textsOf(scene)).toEqual({ f: 'promised', g: 'NEWER' });
    expect(log.about(STAYS)).toHaveLength(1);
  },
);

type NotFinished = Killed & NextOfCut & { readonly handle: FileHandle };

/** The service answers again, the rename is finished or given up, and what is open is closed and stored. */
async function takenAgainAndClosed({ scene, next, handle }: NotFinished): Promise<void> {
  scene.faults.clear();
  scene.clock.advance(NEXT_LOOK);
  await ended(next);
  await next.operations.flush(handle);
  await next.operations.release(handle);
  await drained(next);
}

async function replacedAndNotFinished({
  writeBack,
  isWrittenBefore = false,
}: {
  readonly writeBack: boolean;
  readonly isWrittenBefore?: boolean;
}): Promise<NotFinished> {
  const stored = { f: 'old' };
  const promised = { f: 'promised', g: 'replaced' };
  const killed = await killedInRename({ stored, promised, from: '/f', to: '/g', at: 'after' });
  const { next, log, letGo } = await mountWhileLooking(killed, writeBack);
  const handle = await openToEdit(next.operations, '/g');
  if (isWrittenBefore) await writeAt(next.operations, handle, 'NEW');
  const fault = { kind: 'status', status: 503 } as const;
  killed.scene.faults.add({ operation: 'deleteObject', times: Infinity, fault });
  letGo();
  await expect.poll(() => log.about('could not be finished yet')).toHaveLength(1);
  for (const operation of ['putObject', 'headObject'] as const)
    killed.scene.faults.add({ operation, times: Infinity, fault });
  return { ...killed, next, log, handle };
}
