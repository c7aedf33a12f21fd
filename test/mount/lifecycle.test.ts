/** How does a mount begin and end, and what disturbs it not, whichever driver mounts? */
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMount } from '../../src/fuse/mount-table.ts';
import { DRIVERS } from '../support/drivers.ts';
import { mountForTest, type MountedDirectory, type MountRequest } from '../support/mounted.ts';
import { shell } from '../support/shell.ts';

const MODULE = new URL('../support/mounted-memory.ts', import.meta.url);

describe.each(DRIVERS)('the life of a mount of the %s driver', (driver) => {
  let folder: string;
  const mounts: MountedDirectory[] = [];
  const mount = async (request: Partial<MountRequest> = {}): Promise<MountedDirectory> => {
    const mounted = await mountForTest({ module: MODULE, driver, ...request });
    mounts.push(mounted);
    return mounted;
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pailfs-life-'));
  });
  afterEach(async () => {
    for (const mounted of mounts.splice(0)) await mounted.dispose();
    await rm(folder, { recursive: true });
  });

  it('shows in the mount table as pailfs, under its source', async () => {
    const mounted = await mount({ source: 'pailfs:photos at example' });

    expect(await findMount(mounted.path)).toMatchObject({
      type: 'fuse.pailfs',
      source: 'pailfs:photos at example',
    });
  });

  it('shows in the mount table under its source also where a folder of the system has that name', async () => {
    const mounted = await mount({ source: 'srv' });

    expect(await findMount(mounted.path)).toMatchObject({ source: 'srv' });
  });

  it('ends when asked to, with every file released, and its process ends by itself', async () => {
    const mounted = await mount();
    await writeFile(path.join(mounted.path, 'a'), 'text');
    await mounted.unmount();
    await mounted.closed;

    expect(await findMount(mounted.path)).toBeUndefined();
    expect(await mounted.call({ ask: 'open-count' })).toBe(0);
    mounted.leave();
    expect(await mounted.ended).toBe(0);
  });

  it('goes on when an unmount finds a program still in it, and names the program', async () => {
    const mounted = await mount();
    const file = await open(path.join(mounted.path, 'held'), 'w');

    await expect(mounted.unmount()).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining(`(process ${String(process.pid)})`) as string,
    });
    await file.writeFile('still works');
    await file.close();
    expect(await mounted.call({ ask: 'text', path: '/held' })).toBe('still works');
    await mounted.unmount();
  });

  it('is detached at once when a person asks for that, and ends with the last open file', async () => {
    const mounted = await mount();
    const file = await open(path.join(mounted.path, 'held'), 'w');
    await mounted.unmount({ lazy: true });
    expect(await findMount(mounted.path)).toBeUndefined();
    await file.writeFile('late');
    await file.close();
    await mounted.closed;

    expect(await mounted.call({ ask: 'text', path: '/held' })).toBe('late');
    expect(await mounted.call({ ask: 'open-count' })).toBe(0);
  });

  it('notices when somebody else unmounts it', async () => {
    const mounted = await mount();
    await shell('/', 'umount "$1" || fusermount3 -u "$1"', mounted.path);

    await mounted.closed;
    expect(await mounted.call({ ask: 'open-count' })).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)(
    'leaves nothing where somebody unmounts it by force while it is used',
    async () => {
      const mounted = await mount();
      const file = await open(path.join(mounted.path, 'held'), 'w');

      await shell('/', 'umount -f "$1"', mounted.path);
      await mounted.closed;

      expect(await findMount(mounted.path)).toBeUndefined();
      await file.close().catch(() => undefined);
    },
  );

  it('takes the place of a mount whose process was killed', async () => {
    const dead = await mount({ mountpoint: folder });
    await dead.kill();
    await expect(readFile(path.join(folder, 'a'))).rejects.toMatchObject({ code: 'ENOTCONN' });
    const next = await mount({ mountpoint: folder });
    await writeFile(path.join(folder, 'a'), 'alive');

    expect(await next.call({ ask: 'text', path: '/a' })).toBe('alive');
    expect(next.log.map(({ message }) => message)).toContain('clearing away a mount whose process died');
  });

  it('is refused where a mount whose process was killed hides what programs have written, and says so', async () => {
    const beneath = await open(folder);
    const dead = await mount({ mountpoint: folder });
    await writeFile(`/proc/self/fd/${beneath.fd}/late`, 'only here');
    await beneath.close();
    await dead.kill();

    await expect(mount({ mountpoint: folder })).rejects.toMatchObject({
      kind: 'not-empty',
      message: expect.stringMatching(/cleared away, and beneath it is late \(of 1\)/) as string,
    });

    expect(await readFile(path.join(folder, 'late'), 'utf8')).toBe('only here');
  });

  it('is refused for a directory that is missing, full, a file, or mounted already', async () => {
    const mounted = await mount();
    await mkdir(path.join(folder, 'full'));
    await writeFile(path.join(folder, 'full', 'file'), '');

    const refusal = (mountpoint: string): Promise<unknown> =>
      mount({ mountpoint }).then(
        () => 'mounted',
        (error: unknown) => error,
      );
    expect(await refusal(path.join(folder, 'missing'))).toMatchObject({ kind: 'missing-mountpoint' });
    expect(await refusal(path.join(folder, 'full'))).toMatchObject({ kind: 'not-empty' });
    expect(await refusal(path.join(folder, 'full', 'file'))).toMatchObject({ kind: 'not-a-directory' });
    expect(await refusal(mounted.path)).toMatchObject({ kind: 'already-mounted' });
    expect(await findMount(path.join(folder, 'full'))).toBeUndefined();
  });

  it('accepts a mountpoint with spaces, quotes and shell signs, and runs none of them', async () => {
    const mountpoint = path.join(folder, 'a b\'"$(touch INJECTED);é\\n');
    await mkdir(mountpoint);
    const mounted = await mount({ mountpoint });
    await writeFile(path.join(mountpoint, 'a'), 'text');
    await mounted.unmount();

    expect(await findMount(mountpoint)).toBeUndefined();
    expect((await shell(folder, 'find . /INJECTED -name INJECTED')).output).toBe('');
  });

  it('refuses every change when read-only, before the file system hears of it', async () => {
    const mounted = await mount({ readOnly: true });
    const result = await shell(mounted.path, 'touch a; mkdir b; rm -d /nowhere; setfattr -n user.a -v 1 .');

    expect(result.errors.match(/Read-only file system/g)).toHaveLength(3);
  });

  // Only root can look as somebody else; a run without root names this test as left out.
  it.runIf(process.getuid?.() === 0)(
    'lets other users in only when asked, and then by the permission bits',
    async () => {
      const asNobody = 'setpriv --reuid=65534 --regid=65534 --clear-groups';
      const [closed, shared] = [await mount(), await mount({ allowOther: true })];
      await shell('/', 'chmod 755 "$1" "$2"; echo text > "$2/a"', closed.path, shared.path);
      const inClosed = await shell('/', `${asNobody} ls "$1"`, closed.path);
      const inShared = await shell('/', `${asNobody} cat "$1/a"; ${asNobody} rm -f "$1/a"`, shared.path);

      expect(inClosed.errors).toMatch(/Permission denied/);
      expect(inShared.output).toBe('text\n');
      expect(inShared.errors).toMatch(/cannot remove.*Permission denied/);
    },
  );

  it('answers two mounts of one machine independently, and a slow call stops no other', async () => {
    const [slow, quick] = [await mount(), await mount()];
    await writeFile(path.join(slow.path, 'a'), 'a');
    await writeFile(path.join(quick.path, 'b'), 'b');
    await slow.call({ ask: 'hold', operation: 'read', path: '/a' });
    const reading = readFile(path.join(slow.path, 'a'), 'utf8');
    const listed = await shell(slow.path, 'ls');
    const other = await readFile(path.join(quick.path, 'b'), 'utf8');
    await slow.call({ ask: 'let-go' });

    expect(listed.output).toBe('a\n');
    expect(other).toBe('b');
    expect(await reading).toBe('a');
  });

  it('survives bursts of many more requests than it has threads', async () => {
    const mounted = await mount();
    await mounted.call({ ask: 'delay', operation: 'getAttributes', milliseconds: 20 });
    const burst = 'for i in $(seq 64); do stat -c %F . & done | sort -u; wait';
    for (let round = 0; round < 3; round += 1) {
      expect((await shell(mounted.path, burst)).output).toBe('directory\n');
    }
  });
});
