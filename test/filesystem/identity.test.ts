/** Is what a program read of a file, with what was written since, still the file? Drivers keep bytes as long as it is. */
import { describe, expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FaultRule } from '../../src/server/faults.ts';
import { entriesOf } from '../support/directory-entries.ts';
import { openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { edit, openToEdit, openToRead, openToRewrite, writeAt } from '../support/program-acts.ts';

const TTL = 10_000;

async function identityOf(fs: FileSystemOperations, path: string): Promise<number> {
  return (await fs.getAttributes(path)).identity;
}

async function listedIdentity(fs: FileSystemOperations, name: string): Promise<number | undefined> {
  const entries = await entriesOf(fs, '/');
  return entries.find((entry) => entry.name === name)?.attributes.identity;
}

describe('the identity of a file', () => {
  it('is the same in every look and through every handle, also when the service confirms the file', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('f', 'x');
    const identity = await identityOf(fs, '/f');
    const handle = await openToRead(fs, '/f');
    clock.advance(TTL);

    expect(await listedIdentity(fs, 'f')).toBe(identity);
    expect(await identityOf(fs, '/f')).toBe(identity);
    expect(handle.identity).toBe(identity);
    await fs.release(handle);
  });

  it('is another when somebody else has replaced the file, and stays with who has the old one open', async () => {
    const { fs, foreignWrite, clock } = await openForTest();
    await foreignWrite('f', 'x');
    const old = await openToRead(fs, '/f');
    const { identity } = old;
    await foreignWrite('f', 'y');
    clock.advance(TTL);

    expect(await identityOf(fs, '/f')).not.toBe(identity);
    expect((await fs.getAttributes('/f', old)).identity).toBe(identity);
    const fresh = await openToRead(fs, '/f');
    expect(fresh.identity).toBe(await identityOf(fs, '/f'));
    for (const handle of [old, fresh]) await fs.release(handle);
  });

  it('stays through creation, writes, uploads and naming by the service', async () => {
    const { fs, clock } = await openForTest();
    const handle = await openToRewrite(fs, '/f');
    const { identity } = handle;
    await writeAt(fs, handle, 'one');
    const seen = [await identityOf(fs, '/f'), await listedIdentity(fs, 'f')];
    await fs.flush(handle);
    seen.push(await identityOf(fs, '/f'));
    await fs.release(handle);
    clock.advance(TTL);
    seen.push(await identityOf(fs, '/f'), await listedIdentity(fs, 'f'));
    await edit(fs, '/f', 'two', 0);
    await writeFile(fs, '/f', 'three');
    await writeFile(fs, '/f', 'three');
    seen.push(await identityOf(fs, '/f'));

    expect(new Set(seen)).toEqual(new Set([identity]));
  });

  it('goes with a file that is renamed, and the one it replaces keeps its own', async () => {
    const { fs, foreignWrite } = await openForTest();
    await foreignWrite('f', 'x');
    await foreignWrite('g', 'y');
    const identity = await identityOf(fs, '/f');
    const replaced = await openToRead(fs, '/g');
    const before = replaced.identity;
    await fs.rename('/f', '/g', false);

    expect(await identityOf(fs, '/g')).toBe(identity);
    expect(replaced.identity).toBe(before);
    await fs.release(replaced);
    expect(await identityOf(fs, '/g')).toBe(identity);
  });

  it('is not shared by two files when a rename could not remove the old one', async () => {
    const { fs, foreignWrite, faults } = await openForTest();
    await foreignWrite('f', 'x');
    await foreignWrite('g', 'y');
    const identity = await identityOf(fs, '/f');
    faults.add({ operation: 'deleteObject', times: Infinity, fault: { kind: 'status', status: 403 } });

    await expect(fs.rename('/f', '/g', false)).rejects.toMatchObject({ code: 'EACCES' });

    expect(await identityOf(fs, '/f')).toBe(identity);
    expect(await identityOf(fs, '/g')).not.toBe(identity);
  });

  it('is another when what was written could not be stored and is not there any more', async () => {
    const { fs, foreignWrite, faults } = await openForTest();
    await foreignWrite('f', 'old');
    const refusal: FaultRule = { operation: 'putObject', times: 1, fault: { kind: 'status', status: 403 } };
    faults.add(refusal);
    const handle = await openToEdit(fs, '/f');
    const { identity } = handle;
    await writeAt(fs, handle, 'new', 0);
    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'EACCES' });
    expect(await identityOf(fs, '/f')).toBe(identity);
    await fs.release(handle);

    expect((await readFile(fs, '/f')).toString()).toBe('old');
    expect(await identityOf(fs, '/f')).not.toBe(identity);
  });

  it('stays with a handle whose name somebody deleted, and comes back with what it writes', async () => {
    const { fs, foreignWrite, direct, bucket, clock } = await openForTest();
    await foreignWrite('f', 'old');
    const handle = await openToEdit(fs, '/f');
    const { identity } = handle;
    await fs.read(handle, Buffer.alloc(3), 0);
    await direct.deleteObject(bucket, 'f');
    clock.advance(TTL);
    await expect(fs.getAttributes('/f')).rejects.toMatchObject({ code: 'ENOENT' });
    await writeAt(fs, handle, 'new', 0);
    await fs.flush(handle);

    expect(await identityOf(fs, '/f')).toBe(identity);
    await fs.release(handle);
    expect(await identityOf(fs, '/f')).toBe(identity);
  });
});
