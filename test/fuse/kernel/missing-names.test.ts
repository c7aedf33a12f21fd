/** For how long does the kernel believe that a name is missing, and how does it hear that it is there? */
import { describe, expect, it } from 'vitest';
import { takeAllNamesBack } from '../../../src/fuse/kernel/discoveries.ts';
import { expireName, incrementEpoch } from '../../../src/fuse/kernel/notifications.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64, type Reply } from './kernel-side.ts';

const ROOT = 1;

/** A kernel that may believe what it is told for a minute. */
function trustingKernel({ hasEpoch = false } = {}): { files: MemoryFileSystem; kernel: KernelSide } {
  const files = new MemoryFileSystem();
  const kernel = new KernelSide(files);
  Object.assign(kernel.context.trust, { names: true, hasEpoch });
  files.trust(60_000);
  return { files, kernel };
}

async function listRoot(kernel: KernelSide): Promise<void> {
  const fh = Number((await kernel.succeed('opendir', ROOT, u32(0, 0))).readBigUInt64LE(0));
  await kernel.succeed('readdir', ROOT, readRequest(fh, 0, 4096));
}

const hex = (message: Buffer): string => message.toString('hex');

describe('a look at a name that is missing', () => {
  it('tells the kernel of no node, for as long as the answer counts', async () => {
    const { kernel } = trustingKernel();

    const entry = await kernel.succeed('lookup', ROOT, 'gone');
    expect([Number(entry.readBigUInt64LE(0)), Number(entry.readBigUInt64LE(16))]).toEqual([0, 60]);
  });

  it('is ENOENT, to be asked again, where the answer counts only now or names cannot be taken back', async () => {
    const { files, kernel } = trustingKernel();
    files.trust(0);
    expect(await kernel.ask('lookup', ROOT, 'gone')).toMatchObject({ code: 'ENOENT' });
    files.trust(60_000);
    kernel.context.trust.names = false;
    expect(await kernel.ask('lookup', ROOT, 'gone')).toMatchObject({ code: 'ENOENT' });
  });

  it('is ENOENT once ten thousand names of the folder are believed to be missing, until these count no more', async () => {
    const { kernel } = trustingKernel();
    for (let index = 0; index < 10_000; index += 1) await kernel.succeed('lookup', ROOT, `gone-${index}`);

    expect(await kernel.ask('lookup', ROOT, 'gone')).toMatchObject({ code: 'ENOENT' });
    kernel.clock.advance(60_000);
    expect(await kernel.lookUp('gone')).toBe(0);
  });
});

describe('the ten thousand names that are believed to be missing', () => {
  it('are not looked through for each name more', async () => {
    const { kernel } = trustingKernel();
    for (let index = 0; index < 10_000; index += 1) await kernel.succeed('lookup', ROOT, `gone-${index}`);
    const { missing } = kernel.context.nodes.get(ROOT);
    const entries = missing[Symbol.iterator].bind(missing);
    let looks = 0;
    missing[Symbol.iterator] = function* () {
      for (const entry of entries()) {
        looks += 1;
        yield entry;
      }
    } as typeof entries;

    for (let index = 0; index < 10; index += 1) await kernel.ask('lookup', ROOT, `more-${index}`);

    expect(looks).toBe(10);
  });

  it('make room for others once they count no more, but for those that were looked at again', async () => {
    const { kernel } = trustingKernel();
    for (let index = 0; index < 10_000; index += 1) await kernel.succeed('lookup', ROOT, `gone-${index}`);
    kernel.clock.advance(30_000);
    await kernel.succeed('lookup', ROOT, 'gone-0');
    kernel.clock.advance(30_000);

    await kernel.succeed('lookup', ROOT, 'more');

    expect([...kernel.context.nodes.get(ROOT).missing.keys()]).toEqual(['gone-0', 'more']);
  });
});

describe('a listing that shows a name which is believed to be missing', () => {
  it('takes that back, by its name', async () => {
    const { files, kernel } = trustingKernel();
    await kernel.lookUp('later');
    files.replace('/later', 'of somebody else');
    await listRoot(kernel);

    expect(kernel.notifications).toEqual([hex(expireName(ROOT, 'later'))]);
    await listRoot(kernel);
    expect(kernel.notifications).toHaveLength(1);
  });

  it('takes all names back before it shows any, where one word does', async () => {
    const { files, kernel } = trustingKernel({ hasEpoch: true });
    await kernel.lookUp('later');
    files.replace('/later', 'of somebody else');
    await listRoot(kernel);

    expect(kernel.notifications).toEqual([hex(incrementEpoch())]);
  });

  it('takes nothing back that this mount has made since, or that is believed no more', async () => {
    const { files, kernel } = trustingKernel();
    for (const name of ['made', 'later']) await kernel.lookUp(name);
    await kernel.make('made');
    kernel.clock.advance(60_000);
    files.replace('/later', 'of somebody else');
    await listRoot(kernel);

    expect(kernel.notifications).toEqual([]);
  });
});

it('a listing takes nothing back that this mount has renamed since', async () => {
  const { kernel } = trustingKernel();
  await kernel.make('before');
  await kernel.lookUp('renamed');
  await kernel.succeed('rename', ROOT, u64(ROOT), 'before', 'renamed');
  await listRoot(kernel);

  expect(kernel.notifications).toEqual([]);
});

describe('making what is refused, since somebody else has made it', () => {
  const CREATE_EXCLUSIVELY = u32(0o102 | 0o200, 0o100644, 0, 0);

  it.each<readonly [string, (kernel: KernelSide) => Promise<Reply>]>([
    ['mkdir', (kernel) => kernel.ask('mkdir', ROOT, u32(0o755, 0), 'theirs')],
    ['mknod', (kernel) => kernel.ask('mknod', ROOT, u32(0o100644, 0, 0, 0), 'theirs')],
    ['create', (kernel) => kernel.ask('create', ROOT, CREATE_EXCLUSIVELY, 'theirs')],
    ['rename', (kernel) => kernel.ask('rename2', ROOT, u64(ROOT), u32(1, 0), 'mine', 'theirs')],
  ])('takes back that it is missing [%s]', async (_operation, make) => {
    const { files, kernel } = trustingKernel();
    await kernel.make('mine');
    await kernel.lookUp('theirs');
    files.replace('/theirs', 'of somebody else');

    expect((await make(kernel)).code).toBe('EEXIST');
    expect(kernel.notifications).toEqual([hex(expireName(ROOT, 'theirs'))]);
  });
});

describe('a rename of a folder', () => {
  /** `/d/below`, and a rename of `/d` under way, during which a file in it is missing. */
  async function renaming({ hasEpoch = false } = {}): Promise<{
    readonly kernel: KernelSide;
    readonly files: MemoryFileSystem;
    readonly below: number;
    readonly renamed: Promise<Reply>;
  }> {
    const { files, kernel } = trustingKernel({ hasEpoch });
    await files.mkdir('/d', 0o755);
    await files.mkdir('/d/below', 0o755);
    const below = await kernel.lookUp('below', await kernel.lookUp('d'));
    files.hold('rename', '/d');
    const renamed = kernel.ask('rename', ROOT, u64(ROOT), 'd', 'e');
    await kernel.lookUp('moving', below);
    return { kernel, files, below, renamed };
  }

  it('takes back which files were missing below it while it went on [fresh/own-changes]', async () => {
    const { kernel, files, below, renamed } = await renaming();
    files.letGo();

    expect((await renamed).code).toBe('OK');
    expect(kernel.notifications).toEqual([hex(expireName(below, 'moving'))]);
  });

  it('does so, too, when it fails and is undone, before the program hears of it', async () => {
    const { kernel, files, renamed } = await renaming({ hasEpoch: true });
    files.fail('rename', 'EIO');
    files.letGo();

    expect((await renamed).code).toBe('EIO');
    expect(kernel.notifications).toEqual([hex(incrementEpoch())]);
  });

  it('lets nobody who is still looking tell what is missing', async () => {
    const { kernel, files, below, renamed } = await renaming();
    files.letGo();
    await renamed;
    files.hold('getAttributes', '/e/below/other');
    const looked = kernel.ask('lookup', below, 'other');
    await kernel.succeed('rename', ROOT, u64(ROOT), 'e', 'd');
    files.letGo();

    expect((await looked).code).toBe('ENOENT');
  });
});

it('a refresh takes back the names that are missing, too', async () => {
  const { kernel } = trustingKernel();
  await kernel.lookUp('gone');
  takeAllNamesBack(kernel.context);

  expect(kernel.notifications).toEqual([hex(expireName(ROOT, 'gone'))]);
});
