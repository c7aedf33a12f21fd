/** A program waits for bytes of a large file while another renames it. */
import { expect, it } from 'vitest';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

const MIB = 1024 * 1024;

it('gets them under the new name, though another read there has let go of the old one [fresh/no-mixing]', async () => {
  const { fs, foreignWrite, service } = await openForTest({ settings: { memoryLimit: 8 * MIB } });
  const content = patternedBytes(40 * MIB);
  await foreignWrite('a', content);
  await names(fs, '/');
  const handle = await fs.open('/a', { read: true, write: false, truncate: false });
  const piece = Buffer.alloc(128 * 1024);
  await fs.read(handle, piece, 0);
  const upload = holdNext(service, 'putObject');
  const renaming = fs.rename('/a', '/b', false);
  await upload.begun;
  const get = holdNext(service, 'getObject');
  const into = Buffer.alloc(4 * MIB);
  const waiting = fs.read(handle, into, 20 * MIB);
  await get.begun;
  upload.letGo();
  await renaming;
  expect(await fs.read(handle, piece, 0)).toBe(piece.length);

  get.letGo();

  expect(await waiting).toBe(into.length);
  expect(Buffer.compare(into, content.subarray(20 * MIB, 24 * MIB))).toBe(0);
  await fs.release(handle);
});
