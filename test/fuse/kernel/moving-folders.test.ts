/** What hears who has a folder open that is being renamed, when the file system has done so and the kernel does not know yet? */
import { describe, expect, it } from 'vitest';
import { setattrBits } from '../../../src/fuse/kernel/requests.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64, type Reply } from './kernel-side.ts';

const ROOT = 1;
const MODE = Buffer.concat([
  u32(setattrBits.mode, 0),
  u64(0, 0, 0, 1, 1, 1),
  u32(0, 0, 0, 0o700, 0, 0, 0, 0),
]);

interface Renamed {
  readonly kernel: KernelSide;
  readonly files: MemoryFileSystem;
  /** The number of `/d`, which is `/e` by now; and of `below` in it. */
  readonly folder: number;
  readonly below: number;
  /** Has the kernel hear of it. */
  readonly answer: () => Promise<Reply>;
}

/** `/d/below`, with a file in it. */
async function renamed(): Promise<Renamed> {
  const files = new MemoryFileSystem();
  const kernel = new KernelSide(files);
  await files.mkdir('/d', 0o755);
  await files.mkdir('/d/below', 0o755);
  const folder = await kernel.lookUp('d');
  const below = await kernel.lookUp('below', folder);
  await kernel.make('file', below);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const rename = files.rename.bind(files);
  const done = new Promise<void>((resolve) => {
    files.rename = async (...names) => {
      await rename(...names);
      resolve();
      await held;
    };
  });
  const answered = kernel.ask('rename', ROOT, u64(ROOT), 'd', 'e');
  await done;
  const answer = (): Promise<Reply> => {
    letGo();
    return answered;
  };
  return { kernel, files, folder, below, answer };
}

async function list(kernel: KernelSide, folder: number): Promise<string> {
  const fh = Number((await kernel.succeed('opendir', folder, u32(0, 0))).readBigUInt64LE(0));
  return (await kernel.succeed('readdir', folder, readRequest(fh, 0, 4096))).toString('latin1');
}

describe('who has a folder open that is being renamed', () => {
  it('is told what it is, and what those below it are [rename/meanwhile]', async () => {
    const { kernel, folder, below, answer } = await renamed();

    expect(await kernel.ask('getattr', folder, u32(0, 0), u64(0))).toMatchObject({ code: 'OK' });
    expect(await kernel.ask('getattr', below, u32(0, 0), u64(0))).toMatchObject({ code: 'OK' });
    expect(await kernel.ask('listxattr', folder, u32(0, 0))).toMatchObject({ code: 'OK' });

    expect(await answer()).toMatchObject({ code: 'OK' });
    expect(await kernel.ask('getattr', below, u32(0, 0), u64(0))).toMatchObject({ code: 'OK' });
  });

  it('lists what is in it [rename/meanwhile]', async () => {
    const { kernel, folder, below, answer } = await renamed();

    expect(await list(kernel, folder)).toContain('below');
    expect(await list(kernel, below)).toContain('file');
    await answer();
  });

  it('sets what it sets of it under the new name', async () => {
    const { kernel, files, folder, answer } = await renamed();

    await kernel.succeed('setattr', folder, MODE);
    expect(await files.getAttributes('/e')).toMatchObject({ mode: 0o700 });
    await answer();
  });

  it('hears that it is gone where it is at the new name no more, either', async () => {
    const { kernel, files, folder, answer } = await renamed();
    await files.unlink('/e/below/file');
    await files.rmdir('/e/below');
    await files.rmdir('/e');

    expect(await kernel.ask('getattr', folder, u32(0, 0), u64(0))).toMatchObject({ code: 'ESTALE' });
    await answer();
  });
});
