/** Who hears that the service refuses for good what a program has closed, when the mount has ended by then? */
import { expect, it } from 'vitest';
import { draftText } from '../support/draft-bytes.ts';
import { holdNext } from '../support/hold-next.ts';
import { openForTest } from '../support/open-for-test.ts';
import { openToRewrite, writeAt } from '../support/program-acts.ts';

it('whoever unmounts is told of a closed file that is refused then [write/unmount]', async () => {
  const { fs, mounted, service, faults, clock } = await openForTest({ settings: { writeBack: true } });
  const upload = holdNext(service, 'putObject');
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'closed');
  await fs.flush(handle);
  await fs.release(handle);
  clock.advance(1000);
  await upload.begun;

  const ending = mounted.close({ patience: 60_000 });
  upload.letGo();
  const unsent = await ending;

  expect(unsent).toMatchObject([{ path: '/f', bytes: 6 }]);
  expect(await draftText(unsent[0]?.file ?? '')).toBe('closed');
});
