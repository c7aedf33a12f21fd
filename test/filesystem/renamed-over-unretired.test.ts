/** SEMANTICS: a rename takes the place of a file that waits, and the local disk does not note that nobody wants that any more: a kill loses neither. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { disksAtEachCommit, refuseCommits } from '../support/journal-commits.ts';
import { heldRequests } from '../support/held-requests.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it('what was renamed is whole after a kill at any moment from then on [rename/copy] [rename/crash]', async () => {
  const scene = await openForTest();
  await scene.foreignWrite('s', 'precious');
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(writeFile(scene.fs, '/t', 'waits'))).toBe('EIO');
  const [, , ...disks] = await disksAtEachCommit(scene, () => scene.fs.rename('/s', '/t', false), [
    'put draft/',
    '"stored"',
  ]);

  // Before the copy was announced, and before that note, the old file was there.
  expect(disks.length).toBeGreaterThan(1);
  for (const disk of disks) {
    await drained(await mountOver(disk, scene));
    expect(await textsOf(scene)).toEqual({ t: 'precious' });
  }
});

it('a name that a file got while the disk refused a record of that is its name after a later kill [write-back/rename] [write-back/crash]', async () => {
  const settings = { writeBack: true };
  const upload = heldRequests('putObject');
  const scene = await openForTest({ settings, between: upload.between });
  await writeFile(scene.fs, '/t', 'old');
  await writeFile(scene.fs, '/s', 'new');
  const end = refuseCommits('put draft/', '"key":"t"');
  await scene.fs.rename('/s', '/t', false);
  end();
  await writeFile(scene.fs, '/other', 'later');

  await drained(await mountOver(await diskNow(scene), scene, { settings }));

  expect(await textsOf(scene)).toEqual({ other: 'later', t: 'new' });
  upload.letGo();
});

it('a kill at any moment leaves both files that wait, or the one that took the place of the other, and sets nothing aside [write-back/rename] [write-back/crash]', async () => {
  const settings = { writeBack: true };
  const upload = heldRequests('putObject');
  const scene = await openForTest({ settings, between: upload.between });
  await writeFile(scene.fs, '/t', 'old');
  await writeFile(scene.fs, '/s', 'new');

  const disks = await disksAtEachCommit(scene, () => scene.fs.rename('/s', '/t', false));

  const found: unknown[] = [];
  for (const disk of disks) {
    const next = await mountOver(disk, scene, { settings, service: upload.between(scene.direct) });
    const shown: Record<string, string> = {};
    for (const name of await names(next.operations, '/'))
      shown[name] = (await readFile(next.operations, `/${name}`)).toString();
    found.push([shown, next.setAside]);
    await next.close({ patience: 0, giveUp: AbortSignal.abort() });
  }
  expect(found[0]).toEqual([{ s: 'new', t: 'old' }, []]);
  expect(found.slice(1)).toEqual(found.slice(1).map(() => [{ t: 'new' }, []]));
  upload.letGo();
});
