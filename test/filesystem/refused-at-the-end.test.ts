/** Who hears that the service refuses for good what a program has closed, when the mount has ended by then? */
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { draftText } from '../support/draft-bytes.ts';
import { holdNext } from '../support/hold-next.ts';
import { openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
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

describe('a closed file that was refused while the mount was at work', () => {
  const refused = async (): Promise<FileSystemForTest> => {
    const opened = await openForTest({ settings: { writeBack: true } });
    opened.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 413 } });
    await writeFile(opened.fs, '/f', 'closed');
    opened.clock.advance(1000);
    await expect.poll(async () => (await opened.mounted.unsent.list())[0]?.state).toBe('set aside');
    return opened;
  };

  it('is named to whoever unmounts, too [write/unmount]', async () => {
    const { mounted } = await refused();

    expect(await mounted.close({ patience: 60_000 })).toMatchObject([{ path: '/f', bytes: 6 }]);
  });

  it('is not when it was discarded', async () => {
    const { mounted } = await refused();
    const [change] = await mounted.unsent.list();
    await mounted.unsent.discard([change?.id ?? '']);

    expect(await mounted.close({ patience: 60_000 })).toEqual([]);
  });
});

it.each([true, false])(
  'whoever unmounts is told of what an earlier mount left, and this one, with writeBack=%s, was refused [write/unmount]',
  async (writeBack) => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await writeFile(scene.fs, '/f', 'closed');
    const disk = await diskNow(scene);
    scene.faults.add({ operation: 'putObject', times: 2, fault: { kind: 'status', status: 413 } });
    const next = await mountOver(disk, scene, { settings: { writeBack } });
    scene.clock.advance(1000);
    await expect.poll(async () => (await next.unsent.list())[0]?.state).toBe('set aside');

    const unsent = await next.close({ patience: 60_000 });
    const third = await mountOver(disk, scene, { settings: { writeBack } });

    expect(unsent).toMatchObject([{ path: '/f', bytes: 6 }]);
    // Who mounted has been told of it then.
    expect(third.setAside).toMatchObject([{ key: 'f' }]);
    expect(await third.close({ patience: 60_000 })).toEqual([]);
  },
);

it('whoever unmounts is told of a link that is still to be restored, and of no bytes', async () => {
  const { fs, mounted, faults, direct, bucket, foreignWrite } = await openForTest();
  await foreignWrite('f', 'before');
  await direct.setVisibility(bucket, 'f', 'public');
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  await expect(writeFile(fs, '/f', 'after')).rejects.toMatchObject({ code: 'EIO' });

  const unsent = await mounted.close({ patience: 60_000 });

  expect(unsent).toMatchObject([{ path: '/f', file: '', bytes: 0 }]);
  expect(unsent[0]?.reason).toMatch(/^not public again yet: /);
});
