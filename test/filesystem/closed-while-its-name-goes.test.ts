/**
 * SEMANTICS: a rename has taken the name of an open file, and is not over: what a program writes to that file and closes meanwhile is kept when
 * the rename fails.
 */
import { describe, expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { hasEnded } from '../support/held-disk.ts';
import { heldRequests } from '../support/held-requests.ts';
import { holdNext } from '../support/hold-next.ts';
import { closing, names, openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, writeAt } from '../support/program-acts.ts';
import { storedIn, textsOf, visibilityOf } from '../support/stored-state.ts';

const REFUSED = { kind: 'status', status: 403 } as const;

describe.each([false, true])('with write-back %s,', (writeBack) => {
  it('of a file that is renamed over it: beside the copy [rename/undo] [write/close]', async () => {
    const scene = await openForTest({ settings: { writeBack } });
    const { fs, service, faults, mounted } = scene;
    await scene.foreignWrite('f', 'old f');
    await scene.foreignWrite('g', 'old g');
    await names(fs, '/');
    const handle = await openToEdit(fs, '/f');
    const removing = holdNext(service, 'deleteObject');
    faults.add({ operation: 'deleteObject', key: 'g', fault: REFUSED });
    const renamed = errnoOfCall(fs.rename('/g', '/f', false));
    await removing.begun;

    const closed = closing(fs, handle, () => writeAt(fs, handle, 'MINE '));
    await hasEnded(closed);
    removing.letGo();

    expect(await renamed).toBe('EACCES');
    await closed;
    await drained(mounted);
    expect(await storedIn(scene)).toEqual({ f: 'old g', g: 'old g', beside: 'MINE ' });
  });

  it('of a folder, where others had deleted the open file: under its own name [rename/undo] [write/close]', async () => {
    const copying = heldRequests('putObject', 'e/y');
    const scene = await openForTest({ settings: { writeBack }, between: copying.between });
    const { fs, faults, clock, mounted } = scene;
    for (const key of ['d/x', 'd/y']) await scene.foreignWrite(key, 'theirs');
    await fs.mkdir('/e', 0o755);
    await writeFile(fs, '/e/x', 'old x');
    await drained(mounted);
    const handle = await openToEdit(fs, '/e/x');
    await scene.direct.deleteObject(scene.bucket, 'e/x');
    clock.advance(11_000);
    expect(await names(fs, '/e')).toEqual([]);
    faults.add({ operation: 'putObject', key: 'e/y', fault: REFUSED });
    const renamed = errnoOfCall(fs.rename('/d', '/e', false));
    await copying.begun;
    await expect.poll(() => textsOf(scene)).toHaveProperty(['e/x']);

    const closed = closing(fs, handle, () => writeAt(fs, handle, 'MINE '));
    await hasEnded(closed);
    copying.letGo();

    expect(await renamed).toBe('EACCES');
    await closed;
    await drained(mounted);
    expect(Object.values(await textsOf(scene))).toEqual(['theirs', 'theirs', 'MINE ']);
  });
});

it('a public file that could not be made public again under the copy is when the mount ends, whatever is written to the file before [visibility/restore-fails]', async () => {
  const scene = await openForTest();
  const { fs, faults, mounted } = scene;
  await scene.foreignWrite('f', 'old f');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  await names(fs, '/');
  const handle = await openToEdit(fs, '/f');
  await writeFile(fs, '/g', 'new g');
  faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(fs.rename('/g', '/f', false))).toBe('EIO');
  faults.clear();

  await writeAt(fs, handle, 'MINE ');
  await fs.flush(handle);
  await fs.release(handle);

  expect(await mounted.close({ patience: 1000 })).toEqual([]);
  expect(await storedIn(scene)).toEqual({ f: 'new g', g: 'new g', beside: 'MINE ' });
  expect(await visibilityOf(scene, 'f')).toBe('public');
});
