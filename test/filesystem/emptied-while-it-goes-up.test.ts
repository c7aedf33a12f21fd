/**
 * SEMANTICS: an upload is refused for a while, and another program has waited for it to write the file anew. What comes next of those that
 * have it open already does not have the emptied file stored: a kill before the other's close would leave that.
 */
import { expect, it } from 'vitest';
import { heldRequests } from '../support/held-requests.ts';
import { openForTest, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToRead, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';
import type { FileHandle } from '../../src/filesystem/operations.ts';

type Act = (scene: FileSystemForTest, handle: FileHandle) => Promise<unknown>;

const NEXT: readonly (readonly [string, Act])[] = [
  ['the close of a duplicate', ({ fs }, handle) => fs.flush(handle)],
  ['the last close of who wrote it, while others read it', ({ fs }, handle) => fs.release(handle)],
];

it.each(NEXT)('%s stores nothing of what is empty only for now [write/empty-flush]', async (_, act) => {
  const upload = heldRequests('putObject', 'f');
  const scene = await openForTest({ between: upload.between });
  const { fs } = scene;
  await scene.foreignWrite('f', 'old');
  scene.faults.add({ operation: 'putObject', times: 1, fault: { kind: 'status', status: 402 } });
  const handle = await openToRewrite(fs, '/f');
  const reading = await openToRead(fs, '/f');
  await writeAt(fs, handle, 'first');
  const closed = errnoOfCall(fs.flush(handle));
  await upload.begun;
  const next = act(scene, handle);
  const opening = openToRewrite(fs, '/f');
  await new Promise((resolve) => setTimeout(resolve, 20));
  upload.letGo();
  expect(await closed).toBe('EDQUOT');
  await next;
  const other = await opening;

  expect(await textOf(scene, 'f')).toBe('old');
  await writeAt(fs, other, 'second');
  await fs.flush(other);
  await fs.release(other);
  await fs.release(reading);
  expect(await textOf(scene, 'f')).toBe('second');
});
