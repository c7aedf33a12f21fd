/** SEMANTICS: an rmdir of which nobody knows whether it was done. What programs see next is what is so. */
import { describe, expect, it } from 'vitest';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';

describe('an rmdir that fails, though the service has removed the folder', () => {
  it.each([
    ['its answer is lost', 'deleteObject', 'lost-answer'],
    ['nobody can look whether it is gone', 'listObjects', 'reset'],
  ] as const)('leaves no folder in sight that is not there: %s', async (_, operation, kind) => {
    const { fs, direct, bucket, faults } = await openForTest();
    await fs.mkdir('/a', 0o755);
    await names(fs, '/');
    await names(fs, '/a');
    faults.add({ operation, fault: { kind } });

    await expect(fs.rmdir('/a')).rejects.toMatchObject({ code: 'EIO' });

    await expect(fs.getAttributes('/a')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await names(fs, '/')).toEqual([]);
    await fs.mkdir('/a', 0o755);
    expect((await direct.listObjects(bucket, { folder: '' })).folders).toEqual(['a/']);
  });

  it('leaves no folder in sight that is not there: nobody may look whether it is gone', async () => {
    const { fs, faults } = await openForTest();
    await fs.mkdir('/a', 0o755);
    await names(fs, '/');
    await names(fs, '/a');
    faults.add({ operation: 'listObjects', fault: { kind: 'status', status: 403 } });

    await expect(fs.rmdir('/a')).rejects.toMatchObject({ code: 'EACCES' });

    await expect(fs.getAttributes('/a')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await names(fs, '/')).toEqual([]);
  });

  it('keeps a folder in sight that is there still', async () => {
    const { fs, faults } = await openForTest();
    await fs.mkdir('/a', 0o755);
    faults.add({ operation: 'deleteObject', fault: { kind: 'reset' } });

    await expect(fs.rmdir('/a')).rejects.toMatchObject({ code: 'EIO' });

    expect(await names(fs, '/')).toEqual(['a']);
    await writeFile(fs, '/a/x', 'bytes');
    expect(await names(fs, '/a')).toEqual(['x']);
  });
});
