/** SEMANTICS `[unlink/open]`: who opens a file while its name is going is like one who opened it before. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { openFileSystem } from '../../src/filesystem/open-file-system.ts';
import { Refusal, type Operation } from '../../src/service/refusal.ts';
import { bytesOf, openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { defaultSettings } from '../support/open-for-test.ts';

interface Stage {
  readonly fs: FileSystemOperations;
  readonly stored: (key: string) => Promise<string>;
  /** Resolves when the request has come that is held up. */
  readonly reached: Promise<void>;
  readonly letGo: () => void;
}

it('closes without an error a file that was opened and changed while another was renamed over it', async () => {
  const { fs, stored, reached, letGo } = await stageHolding('putObject');
  const renaming = fs.rename('/new', '/old', false);
  await reached;
  const handle = await fs.open('/old', { read: true, write: true, truncate: false });
  await fs.write(handle, Buffer.from('X'), 0);

  letGo();
  await renaming;
  await fs.flush(handle);
  await fs.release(handle);

  expect(await stored('old')).toBe('new bytes');
});

const toEdit = { read: true, write: true, truncate: false };

it('is one file to those who have it open under its old and its new name when a rename ends', async () => {
  const { fs, stored, reached, letGo } = await stageHolding('deleteObject');
  const before = await fs.open('/new', toEdit);
  const renaming = fs.rename('/new', '/free', false);
  await reached;
  const reader = await fs.open('/free', { ...toEdit, write: false });
  const opening = fs.open('/free', toEdit);

  letGo();
  await renaming;
  const after = await opening;
  await fs.write(before, Buffer.from('N'), 0);
  await fs.flush(before);
  await fs.write(after, Buffer.from('B'), 4);
  await fs.flush(after);
  const seen = Buffer.alloc(9);
  await fs.read(reader, seen, 0);
  for (const handle of [before, reader, after]) await fs.release(handle);

  expect(await stored('free')).toBe('New Bytes');
  expect(seen.toString()).toBe('New Bytes');
});

it('keeps what was written under the new name of a file whose rename failed', async () => {
  const { fs, stored, reached, letGo } = await stageHolding('deleteObject', 'is refused');
  const renaming = fs.rename('/new', '/free', false);
  await reached;
  const creating = fs.create('/free', { ...toEdit, truncate: true, exclusive: false, mode: 0o644 });
  const opening = fs.open('/free', toEdit);

  letGo();
  await expect(renaming).rejects.toMatchObject({ code: 'EACCES' });
  await expect(opening).rejects.toMatchObject({ code: 'ENOENT' });
  const created = await creating;
  await fs.write(created, Buffer.from('mine'), 0);
  await fs.flush(created);
  await fs.release(created);

  expect(await stored('free')).toBe('mine');
  expect(await stored('new')).toBe('new bytes');
});

it('creates no second file under a name that a rename is about to give', async () => {
  const { fs, stored, reached, letGo } = await stageHolding('putObject');
  const source = await fs.open('/new', { read: true, write: true, truncate: false });
  const renaming = fs.rename('/new', '/free', false);
  await reached;
  const intent = { read: true, write: true, truncate: false, exclusive: false, mode: 0o644 };
  const creating = fs.create('/free', intent);

  letGo();
  await renaming;
  const created = await creating;
  await fs.write(created, Buffer.from('N'), 0);
  await fs.flush(created);
  await fs.write(source, Buffer.from('B'), 4);
  await fs.flush(source);
  await fs.release(created);
  await fs.release(source);

  expect(await stored('free')).toBe('New Bytes');
});

it.each([
  { how: 'unlinked', held: 'deleteObject', end: (fs: FileSystemOperations) => fs.unlink('/old') },
  {
    how: 'renamed over',
    held: 'putObject',
    end: (fs: FileSystemOperations) => fs.rename('/new', '/old', false),
  },
] as const)('reads what a file held that was opened while it was $how', async ({ held, end }) => {
  const { fs, reached, letGo } = await stageHolding(held);
  const ending = end(fs);
  await reached;
  const handles = [await fs.open('/old', { ...toEdit, write: false }), await fs.open('/old', toEdit)];

  letGo();
  await ending;

  for (const handle of handles) {
    const seen = Buffer.alloc('old bytes'.length);
    await fs.read(handle, seen, 0);
    expect(seen.toString()).toBe('old bytes');
    await fs.release(handle);
  }
});

it('does not bring back a file that was opened and changed while it was unlinked', async () => {
  const { fs, stored, reached, letGo } = await stageHolding('deleteObject');
  const unlinking = fs.unlink('/old');
  await reached;
  const handle = await fs.open('/old', { read: true, write: true, truncate: false });
  await fs.write(handle, Buffer.from('X'), 0);

  letGo();
  await unlinking;
  await fs.flush(handle);
  await fs.release(handle);

  await expect(stored('old')).rejects.toMatchObject({ kind: 'missing' });
});

/** With `/old` and `/new` on the service; every request of this operation waits for `letGo`, and the first may be refused then. */
async function stageHolding(held: Operation, end: 'succeeds' | 'is refused' = 'succeeds'): Promise<Stage> {
  const { direct, bucket } = await openEmbeddedService();
  await direct.putObject(bucket, 'old', uploadOf('old bytes'));
  await direct.putObject(bucket, 'new', uploadOf('new bytes'));
  const stateDirectory = await mkdtemp(join(tmpdir(), 'pailfs-test-'));
  let failures = end === 'is refused' ? 1 : 0;
  let arrive = (): void => undefined;
  let letGo = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const left = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const mounted = await openFileSystem({
    service: new InterceptedService(direct, async ({ operation }, proceed) => {
      if (operation !== held) return proceed();
      arrive();
      await left;
      if (failures === 0) return proceed();
      failures -= 1;
      throw new Refusal('denied', 'not allowed', { operation });
    }),
    bucket: await direct.getBucket(bucket),
    clock: new ManualClock(Date.now()),
    log: silentLog,
    settings: defaultSettings(stateDirectory),
  });
  onTestFinished(async () => {
    await mounted.close({ patience: 60_000 });
    await rm(stateDirectory, { recursive: true, force: true });
  });
  return {
    fs: mounted.operations,
    stored: async (key) => (await bytesOf((await direct.getObject(bucket, key)).body)).toString(),
    reached,
    letGo,
  };
}
