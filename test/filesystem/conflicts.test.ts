/** SEMANTICS: what becomes of an edit whose file somebody else replaced meanwhile. */
import { describe, expect, it } from 'vitest';
import { textsOf } from '../support/stored-state.ts';
import { conflictName } from '../../src/filesystem/write/conflict-name.ts';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import {
  names,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import {
  LogForTest,
  edit,
  openToEdit,
  openToRead,
  openToRewrite,
  setXattr,
  textAt,
  writeAt,
  xattr,
} from '../support/program-acts.ts';

const COPY = /^notes \(conflict here \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d [\da-f]{4}\)\.txt$/;

interface Conflict extends FileSystemForTest {
  readonly log: LogForTest;
  /** Has `mine` of its own in `/notes.txt`, which is `theirs` on the service by now. */
  readonly handle: FileHandle;
}

async function conflict(options: TestOptions = {}): Promise<Conflict> {
  const log = new LogForTest();
  const opened = await openForTest({ log, ...options });
  await opened.foreignWrite('notes.txt', 'base');
  await names(opened.fs, '/');
  const handle = await openToEdit(opened.fs, '/notes.txt');
  await writeAt(opened.fs, handle, 'mine');
  await opened.foreignWrite('notes.txt', 'theirs');
  opened.asked();
  return { ...opened, log, handle };
}

/** The only name that is neither `notes.txt` nor one of `known`. */
async function copyName({ fs }: FileSystemForTest, ...known: string[]): Promise<string> {
  const others = (await names(fs, '/')).filter((name) => name !== 'notes.txt' && !known.includes(name));
  expect(others).toHaveLength(1);
  return others[0] ?? '';
}

async function close({ fs, handle }: Conflict): Promise<void> {
  await fs.flush(handle);
  await fs.release(handle);
}

describe('an edit of a file that somebody else replaced meanwhile', () => {
  it('is stored at the close under a name of its own, and theirs stays [conflict/keep-both]', async () => {
    const situation = await conflict();
    const { fs, stored, asked } = situation;

    await close(situation);

    const requests = asked();
    const copy = await copyName(situation);
    expect(copy).toMatch(COPY);
    expect((await stored('notes.txt')).toString()).toBe('theirs');
    expect((await stored(copy)).toString()).toBe('mine');
    expect((await readFile(fs, '/notes.txt')).toString()).toBe('theirs');
    expect((await readFile(fs, `/${copy}`)).toString()).toBe('mine');
    expect(requests).toEqual([
      'getVisibility notes.txt',
      'headObject notes.txt',
      `headObject ${copy}`,
      `putObject ${copy}`,
    ]);
  });

  it('is told to the operator in one line, with both keys [conflict/keep-both]', async () => {
    const situation = await conflict();

    await close(situation);

    const copy = await copyName(situation);
    const told = situation.log.lines.filter(({ level }) => level !== 'debug' && level !== 'info');
    expect(told).toEqual([
      {
        level: 'warn',
        message: 'somebody else replaced a file while it was edited here: both are kept',
        fields: { theirs: 'notes.txt', ours: copy },
      },
    ]);
  });

  it('goes on under that name: its handle follows, and later writes are stored there [conflict/handles]', async () => {
    const situation = await conflict();
    const { fs, handle, stored } = situation;
    const reader = await openToRead(fs, '/notes.txt');
    const identity = handle.identity;
    await fs.fsync(handle);
    const copy = await copyName(situation);

    expect(handle.path).toBe(`/${copy}`);
    expect(handle.identity).toBe(identity);
    expect((await fs.getAttributes('/notes.txt')).identity).not.toBe(identity);
    expect((await fs.getAttributes(`/${copy}`)).identity).toBe(identity);
    await writeAt(fs, handle, ', too', 4);
    expect(await textAt(fs, reader)).toBe('mine, too');
    await close(situation);
    await fs.release(reader);

    expect((await stored(copy)).toString()).toBe('mine, too');
    expect((await stored('notes.txt')).toString()).toBe('theirs');
    expect(await names(fs, '/')).toHaveLength(2);
  });

  it('can be made again at once of their version [conflict/keep-both]', async () => {
    const situation = await conflict();
    await close(situation);

    await edit(situation.fs, '/notes.txt', 'T', 0);

    expect((await situation.stored('notes.txt')).toString()).toBe('Theirs');
  });

  it('has another name than those before it of the same second [conflict/name]', async () => {
    const situation = await conflict();
    const { fs, foreignWrite } = situation;
    await close(situation);
    for (const theirs of ['theirs 2', 'theirs 3']) {
      const handle = await openToEdit(fs, '/notes.txt');
      await writeAt(fs, handle, 'again');
      await foreignWrite('notes.txt', theirs);
      await fs.flush(handle);
      await fs.release(handle);
    }

    expect(Object.values(await textsOf(situation)).sort()).toEqual([
      'agains',
      'agains 2',
      'mine',
      'theirs 3',
    ]);
  });

  it('gets a number when the name is taken since we listed the folder [conflict/name]', async () => {
    const situation = await conflict();
    const { clock, foreignWrite, stored, mounted } = situation;
    const at = new Date(clock.now());
    const [{ id: draft } = { id: '' }] = await mounted.unsent.list();
    const taken = conflictName('notes.txt', { hostName: 'here.example.com', at, draft, number: 1 });
    await foreignWrite(taken, 'another edit');

    await close(situation);

    expect((await stored(taken)).toString()).toBe('another edit');
    expect((await stored(taken.replace(').txt', ' 2).txt'))).toString()).toBe('mine');
  });

  it('is private, and of the type that the file had [conflict/private]', async () => {
    const log = new LogForTest();
    const opened = await openForTest({ log });
    const { fs, foreignWrite, direct, bucket } = opened;
    await foreignWrite('notes.txt', 'base', 'text/x-notes');
    await setXattr(fs, '/notes.txt', 'user.pailfs.visibility', 'public');
    const handle = await openToEdit(fs, '/notes.txt');
    await writeAt(fs, handle, 'mine');
    await foreignWrite('notes.txt', 'theirs');

    await close({ ...opened, log, handle });

    const copy = await copyName(opened);
    expect((await direct.getVisibility(bucket, copy)).visibility).toBe('private');
    expect(await xattr(fs, `/${copy}`, 'user.mime_type')).toBe('text/x-notes');
  });

  it('is public when all files written here are [conflict/private]', async () => {
    const situation = await conflict({ settings: { visibility: 'public' } });

    await close(situation);

    const { visibility } = await situation.direct.getVisibility(situation.bucket, await copyName(situation));
    expect(visibility).toBe('public');
  });

  it('waits under its new name when the service takes nothing, and is stored by the next close [conflict/keep-both]', async () => {
    const situation = await conflict();
    const { fs, store, handle, stored } = situation;
    store.changeAccount({ gracePeriod: true });

    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'EDQUOT' });
    const copy = await copyName(situation);
    expect((await readFile(fs, `/${copy}`)).toString()).toBe('mine');
    expect((await readFile(fs, '/notes.txt')).toString()).toBe('theirs');
    store.changeAccount({ gracePeriod: false });
    await close(situation);

    expect((await stored(copy)).toString()).toBe('mine');
  });

  it('stays at its name when nobody can tell which names are free, and is kept by the next close', async () => {
    const situation = await conflict({ settings: { metadataTtl: 0 } });
    const { fs, faults, handle, stored } = situation;
    faults.add({ operation: 'listObjects', fault: { kind: 'status', status: 503 } });

    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'EIO' });
    expect((await readFile(fs, '/notes.txt')).toString()).toBe('mine');
    expect(await xattr(fs, '/notes.txt', 'user.pailfs.state')).toBe('failed');
    await close(situation);

    expect((await stored(await copyName(situation))).toString()).toBe('mine');
    expect((await stored('notes.txt')).toString()).toBe('theirs');
  });

  it('is one copy when two close at the same time', async () => {
    const situation = await conflict();
    const { fs, handle } = situation;
    const other = await openToEdit(fs, '/notes.txt');

    await Promise.all([fs.flush(handle), fs.flush(other)]);

    await fs.release(handle);
    await fs.release(other);
    expect(await names(fs, '/')).toHaveLength(2);
    expect(situation.log.about('both are kept')).toHaveLength(1);
  });

  it('is kept, too, when no close sees it but the last handle goes [conflict/keep-both]', async () => {
    const situation = await conflict();

    await situation.fs.release(situation.handle);

    expect((await situation.stored(await copyName(situation))).toString()).toBe('mine');
  });

  it('is kept, too, by truncate(2) without a handle [conflict/keep-both]', async () => {
    const opened = await openForTest();
    await opened.foreignWrite('notes.txt', 'base');
    await readFile(opened.fs, '/notes.txt');
    await opened.foreignWrite('notes.txt', 'theirs');

    await opened.fs.truncate('/notes.txt', 2);

    expect((await opened.stored('notes.txt')).toString()).toBe('theirs');
    expect((await opened.stored(await copyName(opened))).toString()).toBe('ba');
  });

  it('is no reason for a copy when only the type was set: that is ESTALE, and leaves nothing that is not stored', async () => {
    const { fs, mounted, foreignWrite, stored } = await openForTest();
    await foreignWrite('notes.txt', 'base');
    await readFile(fs, '/notes.txt');
    await foreignWrite('notes.txt', 'theirs');

    await expect(setXattr(fs, '/notes.txt', 'user.mime_type', 'text/x-notes')).rejects.toMatchObject({
      code: 'ESTALE',
    });

    expect(await names(fs, '/')).toEqual(['notes.txt']);
    expect((await stored('notes.txt')).toString()).toBe('theirs');
    expect(await mounted.unsent.list()).toEqual([]);
  });
});

describe('the setting conflict', () => {
  it('"overwrite" lets the last writer win, without a look [conflict/setting]', async () => {
    const situation = await conflict({ settings: { conflict: 'overwrite', visibility: 'private' } });

    await close(situation);

    expect((await situation.stored('notes.txt')).toString()).toBe('mine');
    expect(situation.asked()).toEqual(['putObject notes.txt']);
    expect(await names(situation.fs, '/')).toEqual(['notes.txt']);
  });

  it.each(['keep-both', 'fail', 'overwrite'] as const)(
    '"%s" makes nothing of a file written anew, and of a rename over it [write/rewrite-wins]',
    async (setting) => {
      const { fs, foreignWrite, stored } = await openForTest({ settings: { conflict: setting } });
      await foreignWrite('f', 'base');
      await foreignWrite('g', 'base');
      await names(fs, '/');
      const handle = await openToRewrite(fs, '/f');
      await writeAt(fs, handle, 'mine');
      await writeFile(fs, '/new', 'mine');
      await foreignWrite('f', 'theirs');
      await foreignWrite('g', 'theirs');

      await fs.flush(handle);
      await fs.release(handle);
      await fs.rename('/new', '/g', false);

      expect((await stored('f')).toString()).toBe('mine');
      expect((await stored('g')).toString()).toBe('mine');
      expect(await names(fs, '/')).toEqual(['f', 'g']);
    },
  );
});

describe('a file that was changed here and replaced by somebody else, renamed before its close', () => {
  it.each(['keep-both', 'overwrite'] as const)(
    'takes the edit along with "%s", and theirs stays under the old name [conflict/rename]',
    async (setting) => {
      const situation = await conflict({ settings: { conflict: setting } });
      const { fs, stored, handle, log } = situation;

      await fs.rename('/notes.txt', '/mine.txt', false);

      expect((await readFile(fs, '/mine.txt')).toString()).toBe('mine');
      expect((await stored('notes.txt')).toString()).toBe('theirs');
      expect((await readFile(fs, '/notes.txt')).toString()).toBe('theirs');
      expect(log.about('theirs stays').map(({ fields }) => fields)).toEqual([
        { theirs: 'notes.txt', ours: 'mine.txt' },
      ]);
      await writeAt(fs, handle, 'M');
      await close(situation);
      expect((await stored('mine.txt')).toString()).toBe('Mine');
      expect(await names(fs, '/')).toEqual(['mine.txt', 'notes.txt']);
    },
  );

  it('is refused with "fail": the edit stays at its name, and its close is told, too [conflict/rename]', async () => {
    const situation = await conflict({ settings: { conflict: 'fail' } });
    const { fs, stored, handle } = situation;

    await expect(fs.rename('/notes.txt', '/mine.txt', false)).rejects.toMatchObject({ code: 'ESTALE' });

    expect(await names(fs, '/')).toEqual(['notes.txt']);
    expect((await stored('notes.txt')).toString()).toBe('theirs');
    await expect(fs.flush(handle)).rejects.toMatchObject({ code: 'ESTALE' });
    await fs.release(handle);
  });

  it.each(['keep-both', 'fail', 'overwrite'] as const)(
    'goes to the new name with "%s" when it was written anew: nothing of it was at stake [conflict/rename]',
    async (setting) => {
      const { fs, foreignWrite, stored } = await openForTest({ settings: { conflict: setting } });
      await foreignWrite('f', 'base');
      const handle = await openToRewrite(fs, '/f');
      await writeAt(fs, handle, 'mine');
      await foreignWrite('f', 'theirs');

      await fs.rename('/f', '/g', false);
      await fs.flush(handle);
      await fs.release(handle);

      expect((await stored('f')).toString()).toBe('theirs');
      expect((await stored('g')).toString()).toBe('mine');
    },
  );

  it('does not take theirs away when nobody knew whether ours had come to be there before [rename/version]', async () => {
    const { fs, foreignWrite, stored, faults } = await openForTest();
    faults.add({ operation: 'putObject', key: 'f', fault: { kind: 'lost-answer' } });
    await expect(writeFile(fs, '/f', 'mine')).rejects.toMatchObject({ code: 'EIO' });
    await foreignWrite('f', 'theirs');

    await fs.rename('/f', '/g', false);

    expect((await stored('f')).toString()).toBe('theirs');
    expect((await stored('g')).toString()).toBe('mine');
  });
});
