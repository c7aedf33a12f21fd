/** What `pailfs uploads` is told of a mount: everything that the service does not have, and what happened to it. */
import { writeFile as writeLocal } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { draftText } from '../support/draft-bytes.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { holdNext } from '../support/hold-next.ts';

const refuse = (status: number) => ({ operation: 'putObject', fault: { kind: 'status', status } }) as const;

describe('the list of what is not stored', () => {
  it('is empty when everything is', async () => {
    const { fs, mounted } = await openForTest();
    await writeFile(fs, '/f', 'stored');

    expect(await mounted.unsent.list()).toEqual([]);
  });

  it.each([
    [{ readOnly: true }, 'the mount is read-only'],
    [{ mayWrite: false }, 'these credentials may only read'],
  ])('says of what waits for another mount why it does: %o [errors/denied]', async (settings, reason) => {
    const scene = await openForTest({ settings: { writeBack: true } });
    await writeFile(scene.fs, '/f', 'waits');

    const next = await mountOver(await diskNow(scene), scene, { settings });

    expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'queued', reason, code: null }]);
  });

  it('has files that are being written, uploads that failed, drafts that were set aside, and scratch files', async () => {
    const { fs, mounted, faults, clock } = await openForTest();
    faults.add(refuse(403));
    await expect(writeFile(fs, '/refused', 'never')).rejects.toMatchObject({ code: 'EACCES' });
    clock.advance(1);
    faults.add(refuse(402));
    await expect(writeFile(fs, '/paused', 'later')).rejects.toMatchObject({ code: 'EDQUOT' });
    clock.advance(1);
    await writeFile(fs, '/.x.swp', 'here');
    clock.advance(1);
    const handle = await openToRewrite(fs, '/written');
    await writeAt(fs, handle, 'half');

    const list = await mounted.unsent.list();

    expect(list).toMatchObject([
      { path: '/refused', kind: 'upload', state: 'set aside', bytes: 5, isWhole: true, code: 'EACCES' },
      {
        path: '/paused',
        kind: 'upload',
        state: 'failed',
        bytes: 5,
        attempts: 1,
        code: 'EDQUOT',
        isWhole: true,
      },
      { path: '/.x.swp', kind: 'scratch', state: 'local', bytes: 4 },
      {
        path: '/written',
        kind: 'upload',
        state: 'open',
        bytes: 4,
        attempts: 0,
        isWhole: false,
        reason: null,
      },
    ]);
    expect(list[0]?.reason).toContain('a fault that was asked for');
    expect(list[1]?.reason).toContain('a fault that was asked for');
    expect(await draftText(list[0]?.file ?? '')).toBe('never');
    expect(new Set(list.map(({ id }) => id)).size).toBe(4);
    await fs.release(handle);
  });

  it('has an upload under way, with how much of it has gone up', async () => {
    const { fs, mounted, faults, service } = await openForTest();
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    await expect(writeFile(fs, '/f', 'unknown')).rejects.toMatchObject({ code: 'EIO' });
    const before = await mounted.unsent.list();
    const upload = holdNext(service, 'putObject');

    const writing = writeFile(fs, '/f', 'more');

    await expect.poll(async () => (await mounted.unsent.list())[0]?.state).toBe('uploading');
    upload.letGo();
    await writing;
    expect(before).toMatchObject([{ path: '/f', state: 'end unknown', sent: 0 }]);
    expect(await mounted.unsent.list()).toEqual([]);
  });

  it('has a link that could not be restored', async () => {
    const { fs, mounted, faults, foreignWrite } = await openForTest();
    await foreignWrite('f', 'old');
    await setXattr(fs, '/f', 'user.pailfs.visibility', 'public');
    faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });
    await expect(writeFile(fs, '/f', 'new')).rejects.toMatchObject({ code: 'EIO' });

    expect(await mounted.unsent.list()).toMatchObject([
      { path: '/f', kind: 'link', state: 'failed', bytes: null, file: null },
    ]);
  });

  it('has a rename that goes on', async () => {
    const { fs, mounted, service, foreignWrite } = await openForTest();
    await foreignWrite('old/f', 'x');
    const upload = holdNext(service, 'putObject');

    const renaming = fs.rename('/old', '/new', false);

    await expect
      .poll(() => mounted.unsent.list())
      .toMatchObject([{ kind: 'rename', state: 'going on', path: '/old', to: '/new' }]);
    upload.letGo();
    await renaming;
    expect(await mounted.unsent.list()).toEqual([]);
  });

  it('says of deletions and of a rename that a crash had cut that a read-only mount leaves them to another, which stays so', async () => {
    const scene = await openForTest({ settings: { writeBack: true } });
    for (const key of ['old/f', 'gone']) await scene.foreignWrite(key, 'x');
    scene.faults.add({ operation: 'deleteObject', fault: { kind: 'status', status: 402 } });
    await scene.fs.unlink('/gone');
    const upload = holdNext(scene.service, 'putObject');
    const renaming = scene.fs.rename('/old', '/new', false);
    await upload.begun;
    const next = await mountOver(await diskNow(scene), scene, { settings: { readOnly: true } });
    upload.letGo();
    await renaming;

    const listed = await next.unsent.list();
    const retried = await next.unsent.retry(null);
    const discarded = await next.unsent.discard(
      listed.flatMap(({ id, kind }) => (kind === 'delete' ? id : [])),
    );

    const reason = 'the mount is read-only';
    expect(listed.map(({ path }) => path).sort()).toEqual(['/gone', '/old']);
    expect(listed.find(({ kind }) => kind === 'rename')).toMatchObject({ state: 'queued', reason });
    expect(retried.map((outcome) => outcome.reason)).toEqual([reason, reason]);
    expect(discarded).toMatchObject([{ path: '/gone', isDone: false, reason }]);
    expect(await next.unsent.list()).toEqual(listed);
  });

  it('has what an earlier mount left, also where its name is lost', async () => {
    const scene = await openForTest();
    scene.store.changeAccount({ gracePeriod: true });
    await expect(writeFile(scene.fs, '/waits', 'kept')).rejects.toMatchObject({ code: 'EDQUOT' });
    scene.clock.advance(1);
    const handle = await openToRewrite(scene.fs, '/half');
    await writeAt(scene.fs, handle, 'ha');
    const disk = await diskNow(scene);
    await writeLocal(join(disk.directory, 'drafts', 'damaged'), Buffer.alloc(64 * 1024 + 3));

    const next = await mountOver(disk, scene);
    const readOnly = await mountOver(await diskNow(scene), scene, { settings: { readOnly: true } });

    const left = [
      { path: '/waits', kind: 'upload', bytes: 4, isWhole: true, code: 'EDQUOT' },
      { path: '/half', kind: 'upload', state: 'set aside', bytes: 2, isWhole: false },
    ];
    expect(await next.unsent.list()).toMatchObject([
      ...left,
      { path: null, state: 'unreadable', bytes: 3, isWhole: false },
    ]);
    expect(await readOnly.unsent.list()).toMatchObject(left);
    await scene.fs.release(handle);
  });
});
