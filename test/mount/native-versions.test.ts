/** Does the native driver, for which a name is one file to the kernel, keep apart what others have stored there one after the other? */
import { open, readFile, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { sharedMount } from '../support/shared-mount.ts';

const SIZE = 300_000;
/** Node has no name for it. */
const STALE = { errno: -constants.errno.ESTALE };

describe('a file that somebody else replaces while it is open, on a mount of the native driver', () => {
  const mount = sharedMount({ driver: 'native', settings: { metadataTtl: 0 } });
  const store = (content: string): Promise<unknown> =>
    mount().direct.putObject(mount().bucket, 'file', uploadOf(content));

  it('never gives its bytes to who has opened the new one [native/versions]', async () => {
    const file = path.join(mount().path, 'file');
    await store('a'.repeat(SIZE));
    const old = await open(file, 'r');
    await store('b'.repeat(SIZE));
    const newer = await open(file, 'r');

    const reading = old.read(Buffer.alloc(50_000), 0, 50_000, 200_000);
    await expect(reading).rejects.toMatchObject(STALE);
    expect(await newer.readFile('utf8')).toBe('b'.repeat(SIZE));

    await Promise.all([old.close(), newer.close()]);
  });

  it('is not cut off where the new one ends: its reader hears that it is gone [native/versions]', async () => {
    const file = path.join(mount().path, 'file');
    await store('c'.repeat(SIZE));
    const old = await open(file, 'r');
    await store('d');

    expect((await stat(file)).size).toBe(1);
    await expect(old.readFile()).rejects.toMatchObject(STALE);
    await old.close();
    expect(await readFile(file, 'utf8')).toBe('d');
  });
});
