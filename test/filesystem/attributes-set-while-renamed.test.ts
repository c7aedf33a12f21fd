/** SEMANTICS: what programs set on a file or a folder while it is renamed is its, too, under the new name. */
import { describe, expect, it } from 'vitest';
import { heldRequests } from '../support/held-requests.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { openToRead } from '../support/program-acts.ts';

const SET = { mode: 0o600, mtime: 1_000_000 };

describe.each([
  ['getObject', 'a'],
  ['putObject', 'b'],
  ['headObject', 'b'],
  ['headObject', 'a'],
  ['deleteObject', 'a'],
] as const)('while the rename of a file waits at %s %s', (operation, key) => {
  it.each(['its name', 'a handle'])('chmod and utimes through %s [attributes/local]', async (through) => {
    const held = heldRequests(operation, key);
    const scene = await openForTest({ between: held.between });
    await scene.foreignWrite('a', 'x');
    await names(scene.fs, '/');
    const handle = await openToRead(scene.fs, '/a');
    const renamed = scene.fs.rename('/a', '/b', false);
    // What is read is here by now, so that one of these requests may not be made.
    await Promise.race([held.begun, renamed]);

    await scene.fs.setAttributes(handle.path, SET, through === 'a handle' ? handle : undefined);
    held.letGo();
    await renamed;

    const { mode, mtime } = await scene.fs.getAttributes('/b');
    expect({ mode: mode & 0o777, mtime }).toEqual(SET);
    await scene.fs.release(handle);
  });
});

it('chmod of a folder while its files are moved [attributes/local]', async () => {
  const held = heldRequests('putObject', 'e/a');
  const scene = await openForTest({ between: held.between });
  await scene.foreignWrite('d/a', 'x');
  await names(scene.fs, '/');
  const renamed = scene.fs.rename('/d', '/e', false);
  await held.begun;

  await scene.fs.setAttributes('/d', { mode: 0o700 });
  held.letGo();
  await renamed;

  expect((await scene.fs.getAttributes('/e')).mode & 0o777).toBe(0o700);
});

it.each(['/e', '/e/sub'])('chmod of %s, which its folder already is [attributes/local]', async (path) => {
  const held = heldRequests('putObject', 'e/a');
  const scene = await openForTest({ between: held.between });
  await scene.foreignWrite('d/a', 'x');
  await scene.foreignWrite('d/sub/b', 'x');
  for (const folder of ['/', '/d', '/d/sub']) await names(scene.fs, folder);
  const renamed = scene.fs.rename('/d', '/e', false);
  await held.begun;

  await scene.fs.setAttributes(path, { mode: 0o700 });
  held.letGo();
  await renamed;

  expect((await scene.fs.getAttributes(path)).mode & 0o777).toBe(0o700);
});

it('those of an empty folder that was to be replaced are as before when the rename fails [attributes/local]', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('d/a', 'x');
  await scene.fs.mkdir('/e', 0o755);
  await scene.fs.setAttributes('/e', { mode: 0o700 });
  await scene.fs.setAttributes('/d', { mode: 0o711 });
  const before = await scene.fs.getAttributes('/e');
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });

  await expect(scene.fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EFBIG' });

  const { mode, mtime } = await scene.fs.getAttributes('/e');
  expect({ mode, mtime }).toEqual({ mode: before.mode, mtime: before.mtime });
});
