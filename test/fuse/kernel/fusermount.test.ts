import { closeSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fstabLine } from '../../../src/fuse/kernel/fstab-line.ts';
import { fusermountOptions, mountAsUser } from '../../../src/fuse/kernel/fusermount.ts';
import { loadSocketCalls } from '../../../src/fuse/kernel/socket-calls.ts';

const means = { loadCalls: loadSocketCalls, programs: [], isKnownUser: () => true };
const plain = { source: 'photos', readOnly: false, allowOther: false };
const owner = `uid=${process.getuid?.() ?? 0},gid=${process.getgid?.() ?? 0}`;

describe('what fusermount is asked for', () => {
  it('names the source and the type, and leaves the checking of modes to the kernel', () => {
    expect(fusermountOptions(plain)).toBe('fsname=photos,subtype=pailfs,default_permissions,nosuid,nodev');
  });

  it('lets others in, or refuses changes, only when asked', () => {
    expect(fusermountOptions({ ...plain, readOnly: true, allowOther: true })).toMatch(/,ro,allow_other$/);
    expect(fusermountOptions({ ...plain, noexec: true })).toMatch(/,nodev,noexec$/);
  });

  it('keeps a comma or a backslash of the source from becoming another option', () => {
    const source = String.raw`a,allow_other\,b`;

    expect(fusermountOptions({ ...plain, source })).toMatch(/^fsname=a\\,allow_other\\\\\\,b,subtype=/);
  });

  it('is nothing for a source that no table of mounts could show', () => {
    expect(() => fusermountOptions({ ...plain, source: '' })).toThrow(/must not be empty/);
    expect(() => fusermountOptions({ ...plain, source: 'a\nb' })).toThrow(/control character/);
  });
});

describe('an ordinary user who mounts', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'pailfs-fusermount-')));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const order = (): Parameters<typeof mountAsUser>[0] => ({ ...plain, mountpoint: folder });
  const program = async (name: string, script: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return file;
  };

  it('hears what fusermount refuses, in its own words', async () => {
    const refusing = await program('fusermount3', 'echo "too many FUSE filesystems mounted" >&2; exit 1');

    const mounting = mountAsUser(order(), { ...means, programs: [refusing] });

    await expect(mounting).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/could not be mounted: .*too many FUSE filesystems mounted$/) as string,
    });
  });

  it('hears what to do where fusermount refuses a user that the system has no name for', async () => {
    const refusing = await program('fusermount3', 'echo "could not determine username" >&2; exit 1');

    const mounting = mountAsUser(order(), { ...means, programs: [refusing], isKnownUser: () => false });

    await expect(mounting).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(
        /could not determine username; the system knows no user \d+: run pailfs as one that has a line in \/etc\/passwd, or as root$/,
      ) as string,
    });
  });

  it('is served by the old name where the new one is missing', async () => {
    const missing = path.join(folder, 'missing');
    const refusing = await program('fusermount', 'echo "old: $_FUSE_COMMFD $1 $3" >&2; exit 1');

    const mounting = mountAsUser(order(), { ...means, programs: [missing, refusing] });

    await expect(mounting).rejects.toThrow('old: 3 -o --');
  });

  it('is told the line by which root mounts for him, where fusermount is missing', async () => {
    const programs = [path.join(folder, 'missing')];

    await expect(mountAsUser(order(), { ...means, programs })).rejects.toMatchObject({
      kind: 'no-fuse',
      message: expect.stringContaining(
        `photos ${folder.replaceAll(' ', String.raw`\040`)} fuse.pailfs _netdev,nofail,allow_other,${owner},config=/etc/pailfs.toml 0 0`,
      ) as string,
    });
  });

  it('is told that line, too, where koffi has no build for the machine', async () => {
    const loadCalls = (): Promise<never> => Promise.reject(new Error('Cannot find the native Koffi module'));

    await expect(mountAsUser(order(), { ...means, loadCalls })).rejects.toMatchObject({
      kind: 'no-fuse',
      message: expect.stringMatching(/koffi does not load on .*\/etc\/fstab: photos /) as string,
    });
  });

  it('is refused when fusermount says yes but sends nothing', async () => {
    const silent = await program('fusermount3', 'exit 0');

    const mounting = mountAsUser(order(), { ...means, programs: [silent] });

    await expect(mounting).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('recvmsg') as string,
    });
  });

  it('gets a line whose fields hold what would end them', () => {
    const line = fstabLine({ source: 'my photos', mountpoint: '/mnt/a#b', readOnly: true });

    expect(line).toMatch(/^my\\040photos \/mnt\/a\\043b fuse\.pailfs .*,ro,uid=/);
  });
});

describe('a pair of sockets', () => {
  it('holds no descriptor when nobody sent one', async () => {
    const calls = await loadSocketCalls();
    const pair = calls.openPair();

    expect(() => calls.receiveDescriptor(pair[0])).toThrow('recvmsg: EAGAIN');
    for (const descriptor of pair) closeSync(descriptor);
    expect(() => calls.receiveDescriptor(pair[0])).toThrow('recvmsg: EBADF');
  });
});
