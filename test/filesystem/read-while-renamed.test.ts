/** A program waits for bytes of a large file while another renames it. */
import { expect, it } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, type FileSystemForTest, type TestOptions } from '../support/open-for-test.ts';
import { errnoOfCall, openToRead } from '../support/program-acts.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

const MIB = 1024 * 1024;
const CONTENT = patternedBytes(40 * MIB);

interface Scene extends FileSystemForTest {
  readonly handle: FileHandle;
}

/** A program has /a open, and has read its beginning. */
async function withOpened(options: TestOptions = {}): Promise<Scene> {
  const opened = await openForTest({ ...options, settings: { memoryLimit: 8 * MIB } });
  await opened.foreignWrite('a', CONTENT);
  await names(opened.fs, '/');
  const handle = await openToRead(opened.fs, '/a');
  await opened.fs.read(handle, Buffer.alloc(128 * 1024), 0);
  return { ...opened, handle };
}

it('gets them under the new name, though another read there has let go of the old one [fresh/no-mixing]', async () => {
  const { fs, service, handle } = await withOpened();
  const upload = holdNext(service, 'putObject');
  const renaming = fs.rename('/a', '/b', false);
  await upload.begun;
  const get = holdNext(service, 'getObject');
  const into = Buffer.alloc(4 * MIB);
  const waiting = fs.read(handle, into, 20 * MIB);
  await get.begun;
  upload.letGo();
  await renaming;
  expect(await fs.read(handle, Buffer.alloc(100), 0)).toBe(100);

  get.letGo();

  expect(await waiting).toBe(into.length);
  expect(Buffer.compare(into, CONTENT.subarray(20 * MIB, 24 * MIB))).toBe(0);
  await fs.release(handle);
});

it('gets them under the new name, though the old one is gone before the service says so [fresh/no-mixing]', async () => {
  const answers = new HeldAnswers();
  const { fs, service, handle } = await withOpened(answers);
  const removal = answers.hold('deleteObject');
  const renaming = fs.rename('/a', '/b', false);
  await removal.made;
  const get = holdNext(service, 'getObject');
  const into = Buffer.alloc(MIB);
  const waiting = errnoOfCall(fs.read(handle, into, 20 * MIB));
  await get.begun;
  get.letGo();
  await answered();

  removal.letGo();

  expect(await waiting).toBe('none');
  expect(Buffer.compare(into, CONTENT.subarray(20 * MIB, 21 * MIB))).toBe(0);
  await renaming;
  await fs.release(handle);
});

/** More turns than an answer takes. */
async function answered(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
