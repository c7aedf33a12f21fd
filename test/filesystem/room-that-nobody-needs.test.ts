/** SEMANTICS: a writer is refused, or waits, only for bytes that are really there and really wanted. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { heldRequests } from '../support/held-requests.ts';
import { openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { errnoOfCall, openToEdit, openToRewrite, textAt, writeAt } from '../support/program-acts.ts';

const MIB = 1024 * 1024;
const MOST_OF_IT = new Uint8Array(80_000);
const SMALL = { cache: 'disk', cacheSize: 100_000 } as const;

/** What becomes of a first write of a new file, while time goes by. */
async function writing(
  { clock }: Pick<FileSystemForTest, 'clock'>,
  fs: FileSystemOperations,
  bytes: Uint8Array = MOST_OF_IT,
): Promise<{ readonly outcome: () => string; readonly release: () => Promise<void> }> {
  const handle = await openToRewrite(fs, '/new');
  let outcome = 'waits';
  void errnoOfCall(fs.write(handle, bytes, 0)).then((errno) => (outcome = errno));
  return {
    outcome: () => {
      clock.advance(1000);
      return outcome;
    },
    release: () => fs.release(handle),
  };
}

it('what was downloaded for programs that have closed it gives way to what is written [write/no-space]', async () => {
  const scene = await openForTest({
    store: { behaviours: { range: 'ignored' } },
    settings: { cache: 'disk', cacheSize: 12 * MIB, memoryLimit: 16 * MIB },
  });
  const large = patternedBytes(8 * MIB);
  await scene.direct.putObject(scene.bucket, 'large', uploadOf(large));
  expect(Buffer.compare(await readFile(scene.fs, '/large'), large)).toBe(0);

  await writeFile(scene.fs, '/new', patternedBytes(8 * MIB));

  expect(Buffer.compare(await readFile(scene.fs, '/large'), large)).toBe(0);
});

it.each([false, true])(
  'what was downloaded of a file that waits for its upload gives way, too, with write-back %s [write/no-space]',
  async (writeBack) => {
    const scene = await openForTest({
      store: { behaviours: { range: 'ignored' } },
      settings: { cache: 'disk', cacheSize: 24 * MIB, memoryLimit: 16 * MIB, writeBack },
    });
    const { fs, faults } = scene;
    onTestFinished(() => {
      faults.clear();
    });
    await scene.foreignWrite('large', patternedBytes(8 * MIB));
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    const handle = await openToEdit(fs, '/large');
    expect(await textAt(fs, handle, 8 * MIB - 7)).toHaveLength(7);
    await writeAt(fs, handle, 'edited');
    await fs.flush(handle).catch(() => undefined);
    await fs.release(handle);

    const other = await writing(scene, fs, patternedBytes(12 * MIB));

    await expect.poll(other.outcome, { timeout: 4000 }).toBe('none');
    faults.clear();
    await other.release();
  },
);

it('a hole takes no room in the copy of what a close has promised [write/no-space]', async () => {
  const { fs, mounted, stored } = await openForTest({
    settings: { writeBack: true, cache: 'disk', cacheSize: 8 * MIB },
  });
  const handle = await openToRewrite(fs, '/image');
  await fs.write(handle, Buffer.from('begin'), 0);
  await fs.truncate('/image', 64 * MIB, handle);
  await fs.write(handle, Buffer.from('end'), 64 * MIB);
  await fs.flush(handle);

  await fs.write(handle, Buffer.from('B'), 0);
  await fs.flush(handle);
  await fs.release(handle);
  await drained(mounted);

  const bytes = await stored('image');
  expect(bytes.subarray(0, 5).toString()).toBe('Begin');
  expect(bytes.subarray(64 * MIB).toString()).toBe('end');
  expect(bytes.subarray(5, 64 * MIB).equals(Buffer.alloc(64 * MIB - 5))).toBe(true);
});

it('what the service refused for good and the disk does not set aside is waited for by nobody [write/no-space]', async () => {
  const localFiles = new FailingDisk();
  const scene = await openForTest({ localFiles, settings: { ...SMALL, writeBack: true } });
  const { fs, faults, clock, mounted } = scene;
  faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
  await writeFile(fs, '/a', MOST_OF_IT);
  localFiles.failures.set('sync', 'EIO');
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list())[0]?.code).toBe('EFBIG');

  const other = await writing(scene, fs);

  await expect.poll(other.outcome).toBe('ENOSPC');
  await other.release();
});

describe('holes of a file that an earlier mount has left', () => {
  it('take no room either [write/no-space]', async () => {
    const scene = await openForTest({ settings: { ...SMALL, writeBack: true } });
    scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 503 } });
    const sparse = await openToRewrite(scene.fs, '/sparse');
    await scene.fs.write(sparse, Buffer.from('end'), 10 * MIB);
    await scene.fs.flush(sparse);
    await scene.fs.release(sparse);

    await scene.mounted.close({ patience: 0 });
    // No copy of the disk: that might have no holes.
    const { operations } = await mountOver({ directory: scene.stateDirectory }, scene, { settings: SMALL });
    const other = await writing(scene, operations);

    await expect.poll(other.outcome).toBe('none');
    await other.release();
  });
});

it('a write waits for the room of what a close is storing just then [write/no-space]', async () => {
  const put = heldRequests('putObject', 'a');
  const scene = await openForTest({ settings: SMALL, between: put.between });
  const { fs } = scene;
  const closing = writeFile(fs, '/a', MOST_OF_IT);
  await put.begun;

  const other = await writing(scene, fs);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(other.outcome()).toBe('waits');
  put.letGo();
  await closing;

  await expect.poll(other.outcome).toBe('none');
  await other.release();
});
