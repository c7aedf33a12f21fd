/** What do programs see when the service fails, refuses, vanishes or changes under them? Never a hang, never wrong bytes. */
import { open, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MountedBucket, type BucketMountOptions } from '../support/mounted-bucket.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

let mount: MountedBucket;
let files: FileHandle[] = [];

async function openMount(options: BucketMountOptions = {}): Promise<void> {
  mount = await MountedBucket.open(options);
  mount.startTimer();
}

/** A descriptor of this process, closed after the test. */
async function openFile(name: string): Promise<FileHandle> {
  const file = await open(`${mount.path}/${name}`, 'r');
  files.push(file);
  return file;
}

async function text(key: string): Promise<string> {
  return (await mount.stored(key)).toString();
}

afterEach(async () => {
  for (const file of files) await file.close();
  files = [];
  await mount.close();
});

describe('when the service fails in passing, a program', () => {
  beforeEach(() => openMount());

  it('notices nothing of a burst of 503', async () => {
    for (const operation of ['putObject', 'getObject', 'listObjects', 'deleteObject'] as const) {
      mount.server.faults.add({ operation, times: 3, fault: { kind: 'status', status: 503 } });
    }

    const result = await mount.run('echo bytes > file; ls; cp file copy; cat copy; rm file; ls');

    expect(result).toMatchObject({ exit: 0, errors: '', output: 'file\nbytes\ncopy\n' });
    expect(await text('copy')).toBe('bytes\n');
    expect(mount.server.faults.left).toBeLessThanOrEqual(3);
  });

  it.each([
    ['a connection that is reset', { kind: 'reset' }],
    ['an answer that is lost', { kind: 'lost-answer' }],
    ['an answer that is no JSON', { kind: 'corrupt-json' }],
  ] as const)('notices nothing of %s', async (_, fault) => {
    mount.server.faults.add({ operation: 'listObjects', fault });
    mount.server.faults.add({ operation: 'putObject', fault });

    const result = await mount.run('ls; echo bytes > file; cat file; rm file; echo again > file; ls');

    expect(result).toMatchObject({ exit: 0, errors: '', output: 'bytes\nfile\n' });
    expect(await text('file')).toBe('again\n');
  });

  it('gets all bytes of a file whose download is cut again and again', async () => {
    const bytes = patternedBytes(3_000_000);
    await mount.foreignWrite('file', bytes);
    mount.server.faults.add({
      operation: 'getObject',
      times: 4,
      fault: { kind: 'cut', afterBytes: 100_000 },
    });

    const result = await mount.run('cat file > "$1"; cmp "$1" file', `${mount.stateDirectory}/copy`);

    expect(result).toMatchObject({ exit: 0, errors: '' });
    expect(mount.server.faults.left).toBe(0);
  });
});

describe('when the account is in a grace period, a program', () => {
  beforeEach(() => openMount());

  it('hears at close that there is no quota; the old object stays; a later close stores the new bytes [write/close] [write/passing-fault]', async () => {
    await mount.run('echo old > file');
    mount.store.changeAccount({ gracePeriod: true });

    const refused = await mount.run(
      'echo new and longer > "$1"; cp "$1" file',
      `${mount.stateDirectory}/new`,
    );
    const during = await mount.run(
      'cat file; getfattr --only-values -n user.pailfs.state file; env echo other > another',
    );

    expect(refused.exit).toBe(1);
    expect(refused.errors).toMatch(/file.*Disk quota exceeded/);
    expect(during.output).toBe('new and longer\nfailed');
    expect(during.exit).not.toBe(0);
    expect(await text('file')).toBe('old\n');

    mount.store.changeAccount({ gracePeriod: false });
    const after = await mount.run(
      'exec 3>> file; exec 3>&-; cat file; getfattr --only-values -n user.pailfs.state file',
    );

    expect(after).toMatchObject({ errors: '', output: 'new and longer\nclean' });
    expect(await text('file')).toBe('new and longer\n');
  });

  it('loses no bytes: what could not be stored goes up when the mount ends', async () => {
    mount.store.changeAccount({ gracePeriod: true });
    await mount.run('echo kept > file');
    mount.store.changeAccount({ gracePeriod: false });

    await mount.mounted.unmount();
    const unsent = await mount.ask('close');

    expect(unsent).toEqual([]);
    expect(await text('file')).toBe('kept\n');
  });

  it('is told by the end of the mount which bytes could not be stored, and where they are', async () => {
    mount.store.changeAccount({ gracePeriod: true });
    await mount.run('echo kept > file');

    await mount.mounted.unmount();
    const unsent = (await mount.ask('close')) as { path: string; file: string }[];

    expect(unsent).toMatchObject([{ path: '/file' }]);
    expect((await mount.run('tail -c +65537 "$1"', unsent[0]?.file ?? '')).output).toBe('kept\n');
  });
});

describe('when the service refuses, a program', () => {
  beforeEach(() => openMount());

  it.each([
    { status: 401, message: /Permission denied/ },
    { status: 403, message: /Permission denied/ },
    { status: 413, message: /File too large/ },
    { status: 507, message: /No space left on device/ },
    { status: 400, message: /Invalid argument/ },
    { status: 404, message: /Input\/output error/ },
  ])(
    'hears of a PUT answered with $status what it means; the old object stays [errors/table]',
    async ({ status, message }) => {
      await mount.run('echo old > file');
      mount.server.faults.add({ operation: 'putObject', times: 100, fault: { kind: 'status', status } });

      const result = await mount.run('echo new > "$1"; cp "$1" file', `${mount.stateDirectory}/new`);

      expect(result.exit).toBe(1);
      expect(result.errors).toMatch(message);
      expect(await text('file')).toBe('old\n');
    },
  );

  it('sees what the service has, and may write again, after its bytes were refused for good', async () => {
    await mount.run('echo old > file');
    // A shell closes what it redirected once more: that is another try.
    mount.server.faults.add({ operation: 'putObject', times: 100, fault: { kind: 'status', status: 403 } });

    const refused = await mount.run('env echo refused > file');
    mount.server.faults.clear();
    const after = await mount.run('sleep 0.2; cat file; echo accepted > file; cat file');

    expect(refused.exit).not.toBe(0);
    expect(after.output).toBe('old\naccepted\n');
    expect(await text('file')).toBe('accepted\n');
  });

  it.each([
    ['cat file', 'getObject'],
    ['ls folder', 'listObjects'],
    ['rm file', 'deleteObject'],
    ['mkdir new', 'createFolder'],
    ['setfattr -n user.pailfs.visibility -v public file', 'setVisibility'],
  ] as const)('hears "Permission denied" of %s', async (script, operation) => {
    await mount.foreignWrite('folder/inside', 'x');
    await mount.foreignWrite('file', 'content');
    await mount.run('ls');
    mount.server.faults.add({ operation, times: 100, fault: { kind: 'status', status: 403 } });

    const result = await mount.run(script);

    expect(result.exit).not.toBe(0);
    expect(result.errors).toMatch(/Permission denied/);
    expect(await text('file')).toBe('content');
  });
});

describe('with credentials that may only read, a program', () => {
  beforeEach(() => openMount({ readOnlyCredentials: true }));

  it('reads, and is denied every change', async () => {
    await mount.foreignWrite('file', 'content');

    const reading = await mount.run('ls; cat file');
    const changing = await mount.run('echo new > file; rm file; mkdir folder; mv file other');

    expect(reading).toMatchObject({ exit: 0, output: 'file\ncontent' });
    expect(changing.errors.match(/Permission denied/g)?.length).toBeGreaterThanOrEqual(3);
    expect(await text('file')).toBe('content');
  });
});

describe('when the service is away, a program', () => {
  // What is known of names goes on being known, however long a busy machine takes.
  beforeEach(() => openMount({ settings: { metadataTtl: 3_600_000 } }));

  it('gets an error in time, reads on what is cached, and loses nothing', async () => {
    await mount.foreignWrite('known', 'cached bytes');
    await mount.foreignWrite('unread', 'not cached');
    await mount.run('ls -l; cat known');
    await mount.stopServer();

    const cached = await mount.run('ls; cat known; df -P . | wc -l');
    const unread = await mount.run('cat unread');
    const written = await mount.run('env echo bytes > file');
    const shown = await mount.run('cat file');

    expect(cached).toMatchObject({ exit: 0, errors: '', output: 'known\nunread\ncached bytes2\n' });
    expect(unread.errors).toMatch(/Input\/output error|Connection timed out/);
    expect(written.exit).not.toBe(0);
    expect(written.errors).toMatch(/Input\/output error|Connection timed out/);
    expect(shown.output).toBe('bytes\n');

    await mount.restartServer();
    const after = await mount.run('exec 3>> file; exec 3>&-; cat unread');
    expect(after).toMatchObject({ exit: 0, errors: '', output: 'not cached' });
    expect(await text('file')).toBe('bytes\n');
  });
});

describe('when the service is silent, a program', () => {
  beforeEach(() => openMount());

  it('hears that time is up when the service takes requests and never answers', async () => {
    await mount.foreignWrite('file', 'content');
    await mount.run('ls');
    mount.server.faults.add({ times: 1000, fault: { kind: 'stall' } });
    await mount.ask('hurry');

    const read = await mount.run('cat file');
    const written = await mount.run('env echo x > other');
    const listed = await mount.run('mkdir folder');

    for (const { exit, errors } of [read, written, listed]) {
      expect(exit).not.toBe(0);
      expect(errors).toMatch(/Connection timed out/);
    }
    mount.server.faults.clear();
    await mount.ask('patience');
    expect((await mount.run('cat file')).output).toBe('content');
  });

  it('hears that time is up when a download stands still in its middle', async () => {
    await mount.foreignWrite('file', patternedBytes(2_000_000));
    mount.server.faults.add({
      operation: 'getObject',
      times: 1000,
      fault: { kind: 'stall', afterBytes: 1000 },
    });
    await mount.ask('hurry');

    const result = await mount.run('cat file | wc -c');

    expect(result.errors).toMatch(/Connection timed out|Input\/output error/);
    mount.server.faults.clear();
    await mount.ask('patience');
    expect((await mount.run('cat file | wc -c')).output).toBe('2000000\n');
  });
});

describe('when the service is silent for as long as it is given, a program', () => {
  beforeEach(() => openMount({ deadlines: { headers: 2000 } }));

  it.each([
    ['a small file', 5000, 'cat file'],
    ['a large file', 3_000_000, 'cat file'],
    ['the middle of a large file', 3_000_000, 'dd if=file of=/dev/null bs=1M skip=1 count=1'],
  ])('has waited once when it reads %s: the kernel asks twice', async (_what, size, script) => {
    await mount.foreignWrite('file', patternedBytes(size));
    mount.server.faults.add({ operation: 'getObject', times: 1000, fault: { kind: 'stall' } });

    const result = await mount.run(script);

    expect(result.errors).toMatch(/Connection timed out/);
    expect(mount.server.faults.taken).toBe(1);
  });
});

describe('when somebody replaces a file that is being read, a program', () => {
  beforeEach(() => openMount({ settings: { memoryLimit: 8 * 1024 * 1024 } }));

  it('gets "Stale file handle" instead of bytes of two versions, and the new bytes at its next open [fresh/no-mixing]', async () => {
    const size = 60_000_000;
    const [old, fresh] = [patternedBytes(size, 1), patternedBytes(size, 2)];
    await mount.foreignWrite('file', old);
    const reader = await openFile('file');
    const first = Buffer.alloc(100_000);
    await reader.read(first, 0, first.length, 0);

    await mount.foreignWrite('file', fresh);

    expect(first.equals(old.subarray(0, first.length))).toBe(true);
    const outcome = await readToTheEnd(reader, first.length, old);
    expect(outcome).toEqual({ sameVersion: true, error: 'ESTALE' });
    const reopened = await openFile('file');
    expect(await readToTheEnd(reopened, 0, fresh)).toEqual({ sameVersion: true, error: null });
  });

  it('gets it too when the file is deleted elsewhere', async () => {
    const old = patternedBytes(60_000_000, 3);
    await mount.foreignWrite('file', old);
    const reader = await openFile('file');
    await reader.read(Buffer.alloc(1000), 0, 1000, 0);

    await mount.direct.deleteObject(mount.bucket, 'file');

    expect(await readToTheEnd(reader, 0, old)).toEqual({ sameVersion: true, error: 'ESTALE' });
    await mount.ask('refresh');
    expect((await mount.run('cat file')).errors).toMatch(/No such file/);
  });

  it('is told by cat in words', async () => {
    await mount.foreignWrite('file', patternedBytes(60_000_000, 1));
    const reading = mount.run(
      '(head -c 1000 > /dev/null; touch "$1"; while test -e "$1"; do sleep 0.05; done; cat > /dev/null) < file',
      `${mount.stateDirectory}/pause`,
    );
    await mount.run('while ! test -e "$1"; do sleep 0.05; done', `${mount.stateDirectory}/pause`);
    await mount.foreignWrite('file', patternedBytes(60_000_000, 2));
    await mount.run('rm "$1"', `${mount.stateDirectory}/pause`);

    const { errors } = await reading;

    expect(errors).toMatch(/Stale file handle/);
  });
});

interface ReadOutcome {
  /** All bytes that came were those of `version`. */
  readonly sameVersion: boolean;
  readonly error: string | null;
}

async function readToTheEnd(file: FileHandle, start: number, version: Uint8Array): Promise<ReadOutcome> {
  const piece = Buffer.alloc(1_000_000);
  let sameVersion = true;
  for (let position = start; ;) {
    try {
      const { bytesRead } = await file.read(piece, 0, piece.length, position);
      const wanted = version.subarray(position, position + bytesRead);
      sameVersion &&= piece.subarray(0, bytesRead).equals(wanted);
      position += bytesRead;
      if (bytesRead === 0) return { sameVersion, error: null };
    } catch (error) {
      return { sameVersion, error: errnoName(error) };
    }
  }
}

/** Node knows no name for ESTALE. */
function errnoName(error: unknown): string {
  if (!(error instanceof Error) || !('errno' in error)) throw error;
  const found = Object.entries(constants.errno).find(([, number]) => number === -Number(error.errno));
  return found?.[0] ?? String(error.errno);
}
