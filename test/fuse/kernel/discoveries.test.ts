/** What does the kernel hear when a look shows that something it was told is not so any more? */
import { describe, expect, it } from 'vitest';
import { takeAllNamesBack } from '../../../src/fuse/kernel/discoveries.ts';
import { dropCached, expireName } from '../../../src/fuse/kernel/notifications.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64 } from './kernel-side.ts';

const ROOT = 1;
const O_RDONLY = 0;
const O_RDWR_TRUNC = 0o1002;
const KEEP_CACHE = 2;
const DIRECT_IO = 1;

interface Told {
  readonly files: MemoryFileSystem;
  readonly kernel: KernelSide;
  readonly nodes: ReadonlyMap<string, number>;
}

/** A kernel that was told to trust these names for a minute. */
async function kernelTold(...names: readonly string[]): Promise<Told> {
  const files = new MemoryFileSystem();
  const kernel = new KernelSide(files);
  kernel.context.trust.names = true;
  files.trust(60_000);
  const nodes = new Map<string, number>();
  for (const name of names) nodes.set(name, await kernel.make(name));
  return { files, kernel, nodes };
}

async function listRoot(kernel: KernelSide): Promise<void> {
  const fh = Number((await kernel.succeed('opendir', ROOT, u32(0, 0))).readBigUInt64LE(0));
  await kernel.succeed('readdirplus', ROOT, readRequest(fh, 0, 4096));
  // Only what comes after the last name shows that it was the last.
  await kernel.succeed('readdirplus', ROOT, readRequest(fh, 1000, 4096));
}

const getattr = u32(0, 0);
const hex = (...messages: readonly Buffer[]): string[] => messages.map((message) => message.toString('hex'));

describe('a listing', () => {
  it('takes back the names that are gone or lead elsewhere, and no other', async () => {
    const { files, kernel, nodes } = await kernelTold('same', 'gone', 'replaced', 'open');
    await kernel.open(nodes.get('open') ?? 0, O_RDONLY);
    files.remove('/gone');
    for (const name of ['replaced', 'open']) files.replace(`/${name}`, 'other');
    await listRoot(kernel);

    expect(kernel.notifications).toEqual(
      hex(
        expireName(ROOT, 'gone'),
        dropCached(nodes.get('gone') ?? 0, 'bytes'),
        expireName(ROOT, 'replaced'),
        dropCached(nodes.get('replaced') ?? 0, 'bytes'),
        expireName(ROOT, 'open'),
        dropCached(nodes.get('open') ?? 0, 'attributes'),
      ),
    );
    await listRoot(kernel);
    expect(kernel.notifications).toHaveLength(6);
  });

  it('takes back a name of which the kernel may believe an earlier answer for longer', async () => {
    const { files, kernel } = await kernelTold('name');
    files.trust(0);
    await kernel.lookUp('name');
    files.remove('/name');
    await listRoot(kernel);

    expect(kernel.notifications).toContain(expireName(ROOT, 'name').toString('hex'));
  });

  it('takes back nothing that the kernel no longer trusts, or never did', async () => {
    const { files, kernel } = await kernelTold('old');
    files.trust(0);
    await kernel.make('never');
    kernel.clock.advance(60_000);
    for (const name of ['old', 'never']) files.remove(`/${name}`);
    await listRoot(kernel);

    expect(kernel.notifications).toEqual([]);
  });
});

describe('a file that has another name, of which the kernel was not told', () => {
  it('has the name before taken back also by a part of a listing', async () => {
    const { files, kernel, nodes } = await kernelTold('b');
    await files.rename('/b', '/a', false);
    const fh = Number((await kernel.succeed('opendir', ROOT, u32(0, 0))).readBigUInt64LE(0));
    await kernel.succeed('readdirplus', ROOT, readRequest(fh, 0, 4096));

    expect(kernel.notifications).toEqual(
      hex(expireName(ROOT, 'b'), dropCached(nodes.get('b') ?? 0, 'bytes')),
    );
  });

  it('is not told of by both: a listing names it, and the name before is taken back', async () => {
    const { files, kernel, nodes } = await kernelTold('b');
    const node = nodes.get('b') ?? 0;
    await files.rename('/b', '/a', false);
    await listRoot(kernel);

    expect(kernel.notifications.slice(0, 2)).toEqual(hex(expireName(ROOT, 'b'), dropCached(node, 'bytes')));
    expect(kernel.context.nodes.pathOf({ id: node })).toBe('/b');
    expect(await kernel.lookUp('a')).toBe(node);
    expect(kernel.context.nodes.pathOf({ id: node })).toBe('/a');
  });

  it('has the name before taken back by a look at the new one', async () => {
    const { files, kernel, nodes } = await kernelTold('b');
    const node = nodes.get('b') ?? 0;
    await files.rename('/b', '/a', false);

    expect(await kernel.lookUp('a')).toBe(node);
    expect(kernel.notifications).toEqual(hex(expireName(ROOT, 'b'), dropCached(node, 'bytes')));
  });
});

describe('a look at the attributes of a file whose name leads to another', () => {
  it('is ESTALE, so that the name is looked up again', async () => {
    const { files, kernel, nodes } = await kernelTold('f');
    files.replace('/f', 'other');

    expect(await kernel.ask('getattr', nodes.get('f') ?? 0, getattr, u64(0))).toMatchObject({
      code: 'ESTALE',
    });
    expect(await kernel.lookUp('f')).not.toBe(nodes.get('f'));
  });

  it('shows the file that is open, and the name is taken back', async () => {
    const { files, kernel, nodes } = await kernelTold('f');
    const node = nodes.get('f') ?? 0;
    await kernel.open(node, O_RDONLY);
    files.replace('/f', 'other');
    const attributes = await kernel.succeed('getattr', node, getattr, u64(0));

    expect(Number(attributes.readBigUInt64LE(24))).toBe(0);
    expect(kernel.notifications).toEqual(hex(expireName(ROOT, 'f'), dropCached(node, 'attributes')));
  });
});

describe('an open of a file whose name leads to another', () => {
  it('is ESTALE, empties nothing and leaves nothing open', async () => {
    const { files, kernel, nodes } = await kernelTold('f');
    files.replace('/f', 'other');
    const node = nodes.get('f') ?? 0;

    for (const flags of [O_RDONLY, O_RDWR_TRUNC])
      expect(await kernel.ask('open', node, u32(flags, 0))).toMatchObject({ code: 'ESTALE' });
    expect(files.text('/f')).toBe('other');
    expect(files.openCount).toBe(0);
  });

  it('is ESTALE too when the file was deleted, so that open(2) looks again and makes it if it was to', async () => {
    const { files, kernel, nodes } = await kernelTold('f');
    files.remove('/f');

    expect(await kernel.ask('open', nodes.get('f') ?? 0, u32(O_RDONLY, 0))).toMatchObject({ code: 'ESTALE' });
    expect(files.openCount).toBe(0);
  });

  it('finds it by the next look, and lets the kernel keep its bytes', async () => {
    const { files, kernel } = await kernelTold('f');
    files.replace('/f', 'other');
    const opened = await kernel.succeed('open', await kernel.lookUp('f'), u32(O_RDONLY, 0));

    expect(opened.readUInt32LE(8) & (KEEP_CACHE | DIRECT_IO)).toBe(KEEP_CACHE);
  });
});

describe('where the kernel cannot forget all names at one word', () => {
  it('is told of each that it trusts', async () => {
    const { kernel, nodes } = await kernelTold('a', 'b');
    takeAllNamesBack(kernel.context);

    expect(kernel.notifications).toEqual(
      [...nodes].flatMap(([name, node]) => hex(expireName(ROOT, name), dropCached(node, 'bytes'))),
    );
  });
});
