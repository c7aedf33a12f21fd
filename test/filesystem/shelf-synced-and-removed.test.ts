/** SEMANTICS: what is recorded of scratch files that are gone costs nothing. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { onCommits } from '../support/journal-commits.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';

it('a mount does not wait for the disk once for each scratch file that was synced and removed [scratch/local]', async () => {
  const scene = await openForTest();
  for (let session = 0; session < 3; session += 1) {
    const handle = await openToRewrite(scene.fs, '/.f.swp');
    await writeAt(scene.fs, handle, 'x');
    await scene.fs.fsync(handle);
    await scene.fs.unlink('/.f.swp');
    await scene.fs.release(handle);
  }
  const image = await diskNow(scene);
  const removed: string[] = [];
  const end = onCommits((row) => removed.push(row));

  const next = await mountOver(image, scene);
  end();

  expect(removed.filter((row) => row.includes('shelved'))).toEqual([]);
  await next.close({ patience: 1000 });
  const last = await mountOver(image, scene);
  expect(await names(last.operations, '/')).toEqual([]);
});
