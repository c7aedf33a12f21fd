/** SEMANTICS "Errors": what stands in the service's place answers every request with 404 and a web page, as while the service is exchanged. */
import { describe, expect, it } from 'vitest';
import { names, readFile, writeFile } from '../support/open-for-test.ts';
import { openOverHttp, type OverHttp } from '../support/open-over-http.ts';
import { edit } from '../support/program-acts.ts';

const CONTENT = 'what was there';
const PAGE = { times: Infinity, fault: { kind: 'status', status: 404, isPage: true } } as const;

/** `/d/f` is there, was listed, and is not known any more. */
async function replaced(): Promise<OverHttp> {
  const test = await openOverHttp();
  const { operations: fs } = test.mounted;
  await fs.mkdir('/d', 0o755);
  await writeFile(fs, '/d/f', CONTENT);
  await names(fs, '/d');
  test.forget();
  test.faults.add(PAGE);
  return test;
}

describe('meanwhile', () => {
  it('no file is missing, and no folder is empty [errors/missing]', async () => {
    const { mounted, faults } = await replaced();
    const { operations: fs } = mounted;

    await expect(fs.getAttributes('/d/f')).rejects.toMatchObject({ code: 'EIO' });
    await expect(names(fs, '/d')).rejects.toMatchObject({ code: 'EIO' });
    faults.clear();

    expect((await readFile(fs, '/d/f')).toString()).toBe(CONTENT);
    expect(await names(fs, '/d')).toEqual(['f']);
  });

  it('what is appended to a file takes nothing of it away [errors/missing]', async () => {
    const { mounted, faults, direct, bucket } = await replaced();

    // ENOENT would have the program make the file anew.
    await expect(edit(mounted.operations, '/d/f', ' and more', CONTENT.length)).rejects.toMatchObject({
      code: 'EIO',
    });

    faults.clear();
    expect((await direct.headObject(bucket, 'd/f')).size).toBe(CONTENT.length);
  });
});
