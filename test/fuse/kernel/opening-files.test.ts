/** What does a program get, and what stays open, when it opens or makes a file? */
import { constants } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Attributes, CreateIntent, FileSystemOperations } from '../../../src/filesystem/operations.ts';
import { dropCached } from '../../../src/fuse/kernel/notifications.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, u32, u64 } from './kernel-side.ts';

const { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
const DIRECT_IO = 1;
const KEEP_CACHE = 2;

function opened(): { side: KernelSide; memory: MemoryFileSystem } {
  const memory = new MemoryFileSystem();
  return { side: new KernelSide(memory), memory };
}

describe('an open', () => {
  it('that cannot empty the file fails as that does, and leaves nothing open', async () => {
    const { side, memory } = opened();
    const node = await side.make('f');
    memory.fail('truncate', 'ENOSPC');

    expect(await side.ask('open', node, u32(O_WRONLY | O_TRUNC, 0))).toMatchObject({ code: 'ENOSPC' });
    expect([memory.openCount, side.context.files.size]).toEqual([0, 0]);
  });

  it('for writing never goes to the file that has taken its name since, though nobody has it open', async () => {
    const { side, memory } = opened();
    const node = await side.make('name');
    await side.make('other');
    await side.succeed('rename', 1, u64(1), 'other', 'name');

    expect(await side.ask('open', node, u32(O_WRONLY, 0))).toMatchObject({ code: 'ESTALE' });
    expect(memory.openCount).toBe(0);
  });

  it('of the one that a rename under way puts in its place has the kernel ask for its size', async () => {
    const { side, memory } = opened();
    const node = await side.make('name');
    await side.make('longer');
    memory.hold('rename', '/longer');
    const renamed = side.ask('rename', 1, u64(1), 'longer', 'name');
    memory.replace('/name', 'longer');
    const reading = await side.succeed('open', node, u32(O_RDONLY, 0));
    memory.letGo();
    await renamed;

    expect(reading.readUInt32LE(8) & DIRECT_IO).toBe(DIRECT_IO);
    expect(side.notifications).toContain(dropCached(node, 'attributes').toString('hex'));
  });

  it('of the one that a rename under way puts in its place is ESTALE while a program has the one before open', async () => {
    const { side, memory } = opened();
    const node = await side.make('name');
    await side.open(node, O_RDONLY);
    await side.make('longer');
    memory.hold('rename', '/longer');
    const renamed = side.ask('rename', 1, u64(1), 'longer', 'name');
    memory.replace('/name', 'longer');

    expect(await side.ask('open', node, u32(O_RDONLY, 0))).toMatchObject({ code: 'ESTALE' });
    expect(memory.openCount).toBe(1);
    memory.letGo();
    await renamed;
  });

  it('lets the kernel keep no bytes once where nobody knows whether the file is still the one that was stored', async () => {
    const { side, memory } = opened();
    const node = await side.make('f');
    const before = (await memory.getAttributes('/f')).identity;
    memory.replace('/f', 'named since');
    const look = memory.getAttributes.bind(memory);
    memory.getAttributes = async (...asked): Promise<Attributes> => ({
      ...(await look(...asked)),
      follows: before,
    });
    const flags: number[] = [];
    expect(await side.lookUp('f')).toBe(node);
    for (let time = 0; time < 2; time += 1) {
      const reply = await side.succeed('open', node, u32(O_RDONLY, 0));
      flags.push(reply.readUInt32LE(8) & (KEEP_CACHE | DIRECT_IO));
    }

    expect(flags).toEqual([0, KEEP_CACHE]);
  });
});

describe('a file that is made', () => {
  it('has the mode that was asked for, without its type, and belongs to whose program made it', async () => {
    const { side, memory } = opened();
    side.user = { uid: 1234, gid: 5678 };
    const intents: CreateIntent[] = [];
    const make = memory.create.bind(memory);
    memory.create = (path, intent) => {
      intents.push(intent);
      return make(path, intent);
    };
    await side.succeed('create', 1, u32(O_WRONLY | O_CREAT, 0o100640, 0, 0), 'created');
    await side.succeed('mknod', 1, u32(0o100640, 0, 0, 0), 'made');

    const expected = { mode: 0o640, maker: { uid: 1234, gid: 5678 } };
    expect(intents).toEqual([expect.objectContaining(expected), expect.objectContaining(expected)]);
  });

  it('does not stay open when what it is cannot be told', async () => {
    const { side, memory } = opened();
    memory.fail('getAttributes', 'EIO');
    const asked = u32(O_WRONLY | O_CREAT, 0o100644, 0, 0);

    expect(await side.ask('create', 1, asked, 'f')).toMatchObject({ code: 'EIO' });
    expect([memory.openCount, side.context.files.size]).toEqual([0, 0]);
  });

  it('by mknod(2) is stored before that returns, which fails as that does, and stays open in neither case', async () => {
    const { side, memory } = opened();
    // POSIX: no type means a regular file.
    await side.succeed('mknod', 1, u32(0o644, 0, 0, 0), 'made');
    const calls = memory.takeCalls();
    memory.fail('flush', 'EIO');
    const failed = await side.ask('mknod', 1, u32(0o100644, 0, 0, 0), 'failed');

    expect(calls.slice(0, 3)).toEqual(['create /made', 'flush /made', 'release /made']);
    expect(failed).toMatchObject({ code: 'EIO' });
    expect(memory.openCount).toBe(0);
  });
});

describe('whether a file is open elsewhere when it is closed', () => {
  it.each([
    ['is looked for in who opened it and who closes it', 7, [5, 7]],
    ['is looked for once where that is the same', 5, [5]],
  ])('%s', async (_case, closer, threads) => {
    const { side, memory } = opened();
    const asked: unknown[] = [];
    Object.assign(side.context, {
      hasOpen: (...of: readonly unknown[]) => {
        asked.push(of);
        return Promise.resolve(undefined);
      },
    });
    const answers: (boolean | undefined)[] = [];
    const flush: FileSystemOperations['flush'] = async (_handle, isOpenElsewhere) => {
      answers.push(await isOpenElsewhere?.());
    };
    Object.assign(memory, { flush });
    const node = await side.make('f');
    answers.length = 0;
    side.thread = 5;
    const fh = await side.open(node);
    side.thread = closer;
    await side.succeed('flush', node, u64(fh, 0, 0));

    expect(asked).toEqual([[threads, '/f']]);
    // Nobody can tell: then it is stored when its last descriptor goes.
    expect(answers).toEqual([true]);
  });
});

describe('a name that is looked up while its rename is not answered yet', () => {
  it('leads to the file once it is', async () => {
    const { side, memory } = opened();
    const node = await side.make('old');
    const move = memory.rename.bind(memory);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    memory.rename = async (...asked) => {
      await move(...asked);
      await ended;
    };
    const renamed = side.ask('rename', 1, u64(1), 'old', 'new');
    const found = await side.lookUp('new');
    end();

    expect(await renamed).toMatchObject({ code: 'OK' });
    expect(found).toBe(node);
    expect(side.context.nodes.pathOf({ id: node })).toBe('/new');
    expect(await side.lookUp('new')).toBe(node);
  });
});
