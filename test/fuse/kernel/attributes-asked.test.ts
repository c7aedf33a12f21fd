/** What do calls about attributes come to, and what does a listing that was begun before them still tell? */
import { describe, expect, it } from 'vitest';
import { setattrBits } from '../../../src/fuse/kernel/requests.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { KernelSide, readRequest, u32, u64 } from './kernel-side.ts';

/** `fuse_setattr_in` with these bits and a mode. */
function setattr(valid: number, mode = 0): Buffer {
  return Buffer.concat([u32(valid, 0), u64(0, 0, 0, 1, 1, 1), u32(0, 0, 0, mode, 0, 0, 0, 0)]);
}

/** The names of a listing's answer, with the numbers of their nodes: 0 where nothing is told but the name. */
function entriesOf(page: Buffer): readonly (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  for (let start = 0; start < page.length;) {
    const length = page.readUInt32LE(start + 144);
    const name = page.toString('utf8', start + 152, start + 152 + length);
    found.push([name, Number(page.readBigUInt64LE(start))]);
    start += 128 + Math.ceil((24 + length) / 8) * 8;
  }
  return found;
}

function opened(): { side: KernelSide; memory: MemoryFileSystem } {
  const memory = new MemoryFileSystem();
  return { side: new KernelSide(memory), memory };
}

const openFolder = async (side: KernelSide, node: number): Promise<number> =>
  Number((await side.succeed('opendir', node, u32(0, 0))).readBigUInt64LE(0));

describe('extended attributes', () => {
  it('outside of user. are not supported: EPERM would end cp -a [xattr/answers]', async () => {
    const { side } = opened();
    const node = await side.make('f');
    const value = Buffer.from('value');

    expect(await side.ask('setxattr', node, u32(5, 0), 'security.a', value)).toMatchObject({
      code: 'ENOTSUP',
    });
    expect(await side.ask('removexattr', node, 'security.a')).toMatchObject({ code: 'ENOTSUP' });
  });

  it('are replaced only where there are some, if that is asked for', async () => {
    const { side } = opened();
    const node = await side.make('f');
    const replace = [u32(5, 2), 'user.a', Buffer.from('value')];

    expect(await side.ask('setxattr', node, ...replace)).toMatchObject({ code: 'ENODATA' });
    await side.succeed('setxattr', node, u32(3, 0), 'user.a', Buffer.from('old'));
    expect(await side.ask('setxattr', node, ...replace)).toMatchObject({ code: 'OK' });
  });

  it('of a file that is open and deleted are none', async () => {
    const { side } = opened();
    const node = await side.make('f');
    await side.open(node);
    await side.succeed('unlink', 1, 'f');

    expect((await side.succeed('listxattr', node, u32(0, 0))).readUInt32LE(0)).toBe(0);
  });
});

it('sets times to those of this machine where a program asks for now', async () => {
  const { side } = opened();
  const node = await side.make('f');
  const { mtime, mtimeNow, atime, atimeNow } = setattrBits;
  const now = await side.succeed('setattr', node, setattr(mtime | mtimeNow | atime | atimeNow));
  const given = await side.succeed('setattr', node, setattr(mtime | atime));

  const seconds = Math.floor(side.clock.now() / 1000);
  const timesOf = (reply: Buffer): number[] => [40, 48].map((at) => Number(reply.readBigUInt64LE(at)));
  expect(timesOf(now)).toEqual([seconds, seconds]);
  expect(timesOf(given)).toEqual([1, 1]);
});

describe('a look at the attributes of a known file', () => {
  const ask = [u32(0, 0), u64(0)];

  it('fails as the service does: a file that cannot be asked for is not gone', async () => {
    const { side, memory } = opened();
    const node = await side.make('f');
    memory.fail('getAttributes', 'EACCES');

    expect(await side.ask('getattr', node, ...ask)).toMatchObject({ code: 'EACCES' });
  });

  it('finds it under the name that a rename has given it meanwhile', async () => {
    const { side, memory } = opened();
    const node = await side.make('old');
    memory.hold('getAttributes', '/old');
    const answered = side.ask('getattr', node, ...ask);
    await side.succeed('rename', 1, u64(1), 'old', 'new');
    memory.letGo();

    expect(await answered).toMatchObject({ code: 'OK' });
  });

  it('finds the one that was renamed over it since it was looked up, which is never missing', async () => {
    const { side, memory } = opened();
    const node = await side.make('name');
    memory.replace('/longer', 'longer');
    await side.lookUp('longer');
    await side.succeed('rename', 1, u64(1), 'longer', 'name');

    expect(Number((await side.succeed('getattr', node, ...ask)).readBigUInt64LE(24))).toBe(6);
  });

  it('never tells of a file in place of a folder that somebody else has removed', async () => {
    const { side, memory } = opened();
    const node = Number((await side.succeed('mkdir', 1, u32(0o755, 0), 'd')).readBigUInt64LE(0));
    memory.remove('/d');
    memory.replace('/d', 'a file');
    await side.lookUp('d');

    expect(await side.ask('getattr', node, ...ask)).toMatchObject({ code: 'ESTALE' });
  });
});

it('moves the ctime at a chown(2) that keeps owner and group, as a local disk does', async () => {
  const { side, memory } = opened();
  const node = await side.make('f');
  memory.takeCalls();
  await side.succeed('setattr', node, setattr(0));

  expect(memory.takeCalls()).toContain('setAttributes /f');
});

it('says that no link is there to be read', async () => {
  const { side } = opened();

  expect(await side.ask('readlink', await side.make('f'))).toMatchObject({ code: 'EINVAL' });
});

describe('a listing that was begun before a change', () => {
  const release = (fh: number): Buffer => Buffer.concat([u64(fh), u32(0, 0), u64(0)]);

  it.each<readonly [string, (side: KernelSide, node: number, fh: number) => Promise<unknown>]>([
    ['the mode', (side, node) => side.succeed('setattr', node, setattr(setattrBits.mode, 0o100600))],
    [
      'an extended attribute',
      (side, node) => side.succeed('setxattr', node, u32(1, 0), 'user.a', Buffer.from('v')),
    ],
    ['that an extended attribute goes', (side, node) => side.succeed('removexattr', node, 'user.a')],
    ['what is stored at the last close', (side, node, fh) => side.succeed('release', node, release(fh))],
  ])('of %s tells no old attributes [fresh/own-changes]', async (_what, change) => {
    const { side } = opened();
    const node = await side.make('f');
    await side.succeed('setxattr', node, u32(1, 0), 'user.a', Buffer.from('w'));
    const fh = await side.open(node);
    const folder = await openFolder(side, 1);
    // Room for the dots alone.
    await side.succeed('readdirplus', 1, readRequest(folder, 0, 320));
    await change(side, node, fh);

    expect(entriesOf(await side.succeed('readdirplus', 1, readRequest(folder, 2, 4096)))).toEqual([['f', 0]]);
  });

  it('does not bring a file back under the name from which it was moved', async () => {
    const { side } = opened();
    await side.succeed('mkdir', 1, u32(0o755, 0), 'to');
    const from = Number((await side.succeed('mkdir', 1, u32(0o755, 0), 'from')).readBigUInt64LE(0));
    const node = await side.make('f', from);
    const folder = await openFolder(side, from);
    await side.succeed('readdirplus', from, readRequest(folder, 0, 320));
    await side.succeed('rename', from, u64(await side.lookUp('to')), 'f', 'f');

    expect(entriesOf(await side.succeed('readdirplus', from, readRequest(folder, 2, 4096)))).toEqual([
      ['f', 0],
    ]);
    expect(side.context.nodes.pathOf({ id: node })).toBe('/to/f');
  });
});

describe('a listing', () => {
  it('of a folder that was removed while it was open is empty', async () => {
    const { side } = opened();
    await side.make('beside');
    const node = Number((await side.succeed('mkdir', 1, u32(0o755, 0), 'd')).readBigUInt64LE(0));
    const folder = await openFolder(side, node);
    await side.succeed('rmdir', 1, 'd');
    const page = await side.succeed('readdirplus', node, readRequest(folder, 0, 4096));

    expect(entriesOf(page).map(([name]) => name)).toEqual(['.', '..']);
  });

  it('leaves nothing behind of the files of which the kernel did not hear', async () => {
    const { side, memory } = opened();
    memory.replace('/f', 'of somebody else');
    const folder = await openFolder(side, 1);
    const before = [...side.context.nodes.all()].length;
    side.takesAnswers = false;
    await side.succeed('readdirplus', 1, readRequest(folder, 0, 4096));
    await side.dispatcher.settled();

    expect([...side.context.nodes.all()].length).toBe(before);
  });
});
