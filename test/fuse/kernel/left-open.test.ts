/** What becomes of what programs have open when the kernel lets go of a mount without a word of it? */
import { expect, it } from 'vitest';
import { releaseAll } from '../../../src/fuse/kernel/file-operations.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide } from './kernel-side.ts';

it('each file is ended, also after one that cannot be', async () => {
  const memory = new MemoryFileSystem();
  const side = new KernelSide(memory);
  for (const name of ['one', 'other']) await side.open(await side.make(name));
  memory.takeCalls();
  memory.fail('release', 'EIO');
  await releaseAll(side.context);

  expect(memory.takeCalls()).toEqual(['release /one', 'release /other']);
  expect(side.context.files.size).toBe(0);
});
