/** SEMANTICS: a person has what was set aside tried again, and a program opens it and writes to it before its turn to go up has come. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { openForTest } from '../support/open-for-test.ts';
import { edit, openToEdit, openToRewrite, setXattr, textAt, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

/** 'Old' of /f, which held 'old', was set aside, and is shown there again: its upload waits for somebody else who has the claim of the path. */
async function revivedAndWaiting(writeBack: boolean) {
  const scene = await openForTest({ settings: { writeBack } });
  const { fs, mounted, clock, faults, service } = scene;
  await scene.foreignWrite('f', 'old');
  faults.add({ operation: 'putObject', key: 'f', fault: { kind: 'status', status: 403 } });
  await edit(fs, '/f', 'O', 0).catch(() => undefined);
  clock.advance(1000);
  await expect
    .poll(async () => (await mounted.unsent.list()).map(({ state }) => state))
    .toEqual(['set aside']);
  clock.advance(LATER);
  const look = holdNext(service, 'headObject');
  const retrying = mounted.unsent.retry(null);
  await look.begun;
  const hiding = holdNext(service, 'setVisibility');
  const hidden = setXattr(fs, '/f', 'user.pailfs.visibility', 'private');
  await new Promise(setImmediate);
  look.letGo();
  await hiding.begun;
  const stored = async () => {
    hiding.letGo();
    await hidden;
    return retrying;
  };
  return { ...scene, stored };
}

it.each([false, true])(
  'what was closed is stored, and of the edit nothing before its close (write-back %s) [uploads/half]',
  async (writeBack) => {
    const scene = await revivedAndWaiting(writeBack);
    const { fs, mounted } = scene;
    const handle = await openToEdit(fs, '/f');
    expect(await textAt(fs, handle)).toBe('Old');
    await writeAt(fs, handle, 'XY');

    expect(await scene.stored()).toMatchObject([{ isDone: true, storedAs: null }]);

    expect(await textsOf(scene)).toEqual({ f: 'Old' });
    expect(await textAt(fs, handle)).toBe('XYd');
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ f: 'XYd' });
  },
);

it.each([false, true])(
  'what was closed is stored, and of what is written anew nothing before its close (write-back %s) [uploads/half]',
  async (writeBack) => {
    const scene = await revivedAndWaiting(writeBack);
    const { fs, mounted } = scene;
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'anew');

    expect(await scene.stored()).toMatchObject([{ isDone: true, storedAs: null }]);

    expect(await textsOf(scene)).toEqual({ f: 'Old' });
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ f: 'anew' });
  },
);

it.each([false, true])(
  'what the program has synced by then is stored, and not what it writes after that (write-back %s) [uploads/half]',
  async (writeBack) => {
    const scene = await revivedAndWaiting(writeBack);
    const { fs, mounted } = scene;
    const handle = await openToEdit(fs, '/f');
    await writeAt(fs, handle, 'XY');
    const synced = fs.fsync(handle);
    const outcome = await scene.stored();
    await synced;
    await writeAt(fs, handle, 'Z');

    expect(outcome).toMatchObject([{ isDone: true, storedAs: null }]);
    expect(await textsOf(scene)).toEqual({ f: 'XYd' });
    await fs.flush(handle);
    await fs.release(handle);
    await drained(mounted);
    expect(await textsOf(scene)).toEqual({ f: 'ZYd' });
  },
);
