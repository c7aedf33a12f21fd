import { cp, mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Log } from '../../src/base/log.ts';
import type { DraftFacts } from '../../src/content/draft-facts.ts';
import { put } from '../../src/content/journal/journal.ts';
import type { DraftRecord } from '../../src/content/journal/records.ts';
import { openLocalState, type LocalState } from '../../src/content/local-state.ts';
import { nodeLocalFiles, writeFully } from '../../src/content/local-files.ts';
import {
  deletionOf,
  draftFactsOf,
  draftRecordOf,
  renameOf,
  renameStepOf,
  shelvedOf,
  someVersionRecord,
} from '../support/journal-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { LogForTest } from '../support/program-acts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const messages: string[] = [];
const note = (message: string): void => {
  messages.push(message);
};
const log: Log = { debug: note, info: note, warn: note, error: note };

async function open(...directories: [string, ...string[]]): Promise<LocalState> {
  messages.length = 0;
  for (const directory of directories) await mkdir(directory, { recursive: true });
  const state = await openLocalState(directories, { files: nodeLocalFiles, clock: new ManualClock(), log });
  onTestFinished(() => state.close());
  return state;
}

const sealed = (size: number): DraftFacts['sealed'] => ({ size, md5: null, at: 2000 });

/** A draft on the disk, and what the journal says of it; `unknown`: nothing. */
async function leave(
  state: LocalState,
  content: string,
  { facts, record = {} }: { facts: DraftFacts; record?: Partial<DraftRecord> | 'unknown' },
): Promise<string> {
  const file = await state.drafts.create(facts);
  await writeFully(file, Buffer.from(content), 0);
  await file.sync();
  await file.close();
  const { id } = file;
  if (record !== 'unknown')
    await state.journal.commit([put('draft', draftRecordOf(id, { facts, ...record }))]);
  return id;
}

const told = (drafts: readonly DraftRecord[]): readonly unknown[] =>
  drafts.map(({ facts, state, reason }) => [facts.key, state, reason]);

describe('after the end of a process, whatever it was doing', () => {
  it('whole contents go on to the service, and nobody takes a PUT for undone', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    const states = ['sealed', 'queued', 'uploading', 'end unknown', 'failed'] as const;
    for (const [sequence, state] of states.entries()) {
      const facts = draftFactsOf(state, { sealed: sealed(5) });
      await leave(before, 'bytes', { facts, record: { state, sequence } });
    }
    await before.close();

    const { recovery } = await open(directory);

    expect(told(recovery.drafts)).toEqual([
      ['sealed', 'queued', null],
      ['queued', 'queued', null],
      ['uploading', 'end unknown', null],
      ['end unknown', 'end unknown', null],
      ['failed', 'failed', null],
    ]);
  });

  it('half a file, a cut one and an unknown one are set aside, and empty beginnings go', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    await leave(before, 'half', { facts: draftFactsOf('open'), record: { state: 'open', sequence: 1 } });
    const cut = draftFactsOf('cut', { sealed: sealed(9) });
    await leave(before, 'shorter', { facts: cut, record: { state: 'queued', sequence: 2 } });
    await leave(before, 'half', { facts: draftFactsOf('unknown half'), record: 'unknown' });
    await leave(before, '', { facts: draftFactsOf('empty'), record: 'unknown' });
    await before.close();

    const { recovery, drafts } = await open(directory);

    expect(told(recovery.drafts)).toEqual([
      ['open', 'set aside', 'the mount ended before a close or fsync had promised it'],
      ['cut', 'set aside', 'its file is not as long as it was'],
      ['unknown half', 'set aside', 'the mount ended before a close or fsync had promised it'],
    ]);
    expect(await drafts.list()).toHaveLength(3);
  });

  it('what is stored is let go of; a link that is still to be restored is not forgotten', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    const facts = draftFactsOf('stored', { sealed: sealed(1) });
    await leave(before, 'x', { facts, record: { state: 'stored' } });
    await leave(before, 'x', { facts, record: { state: 'stored', publish: someVersionRecord } });
    await before.close();

    const { recovery, drafts } = await open(directory);

    expect([recovery.drafts, recovery.unpublished.length]).toEqual([[], 1]);
    expect(await drafts.list()).toEqual([]);
  });

  it('bytes that are gone are said to be gone, once', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    await before.journal.commit([put('draft', draftRecordOf('nowhere'))]);
    await before.close();

    const first = await open(directory);
    const said = [...messages];
    await first.close();
    await open(directory);

    expect(first.recovery.lost.map(({ id }) => id)).toEqual(['nowhere']);
    expect([said, messages]).toEqual([['the unsent bytes of a file are gone'], []]);
  });

  it.each([
    ['this one', false],
    ['another', true],
  ])(
    'files of a rename whose record in the journal of %s is damaged are named, once: they may be under either name',
    async (_whose, isOthers) => {
      const directory = await temporaryDirectory();
      const own = isOthers ? await temporaryDirectory() : directory;
      const before = await open(directory);
      const begun = { ...renameStepOf('lost', 1), state: 'copying' } as const;
      await before.journal.commit([put('rename-step', renameStepOf('lost', 0)), put('rename-step', begun)]);
      await before.close();

      const told = new LogForTest();
      const parts = { files: nodeLocalFiles, clock: new ManualClock(), log: told };
      await (await openLocalState(isOthers ? [own, directory] : [own], parts)).close();
      await (await openLocalState([own], parts)).close();

      expect(told.lines).toMatchObject([{ level: 'error', fields: { from: begun.from, to: begun.to } }]);
    },
  );

  it('drafts are listed by their headers when the journal is lost', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    const id = await leave(before, 'precious', { facts: draftFactsOf('a/b', { sealed: sealed(8) }) });
    await before.close();
    await writeFile(join(directory, 'journal', 'CURRENT'), 'nonsense');
    await writeFile(join(directory, 'drafts', 'not-ours'), 'raw bytes');

    const { recovery } = await open(directory);

    expect(told(recovery.drafts)).toEqual([
      [
        'a/b',
        'set aside',
        'its close or fsync had not returned when the mount ended, or the journal was damaged',
      ],
    ]);
    expect(recovery.drafts[0]?.id).toBe(id);
    expect(recovery.unreadable.map((file) => file.id)).toEqual(['not-ours']);
    expect(messages).toEqual(['a local database cannot be read and was moved aside']);
  });

  it('a draft that the end of the process kept from its first byte goes without a word', async () => {
    const directory = await temporaryDirectory();
    await (await open(directory)).close();
    await writeFile(join(directory, 'drafts', 'just-begun'), '');

    const { recovery } = await open(directory);

    expect(recovery.unreadable).toEqual([]);
    expect(await readdir(join(directory, 'drafts'))).toEqual([]);
  });

  it('a start that the disk makes fail leaves nothing open: the next one finds all of it', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    await before.journal.commit([put('draft', draftRecordOf('stored', { state: 'stored' }))]);
    before.attributes.setFolder('/a', { mode: 7 });
    await before.close();
    // What is stored is to go from the disk, which does not let it.
    const inItsPlace = join(directory, 'drafts', 'stored');
    await mkdir(inItsPlace);

    await expect(open(directory)).rejects.toMatchObject({ code: 'ERR_FS_EISDIR' });
    await rmdir(inItsPlace);
    const { attributes } = await open(directory);

    expect((await attributes.folders()).get('/a')).toEqual({ mode: 7 });
  });

  it('files on the shelf are no orphans', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    const id = await leave(before, 'swap', { facts: draftFactsOf('.x.swp'), record: 'unknown' });
    await before.journal.commit([put('shelved', shelvedOf(id))]);
    await before.close();

    const { recovery, journal } = await open(directory);

    expect([recovery.drafts, journal.contents.shelved.length]).toEqual([[], 1]);
  });
});

describe('what dead mounts left', () => {
  async function threeDead(): Promise<[string, string, string]> {
    const home = await temporaryDirectory();
    const directories: [string, string, string] = [join(home, '0'), join(home, '1'), join(home, '2')];
    for (const [n, directory] of directories.entries()) {
      const state = await open(directory);
      const facts = draftFactsOf(`key${n}`, { sealed: sealed(4) });
      await leave(state, `own${n}`, { facts, record: { state: 'queued', sequence: 1 } });
      await state.journal.commit([put('deletion', deletionOf(2, { key: `gone${n}` }))]);
      await state.journal.commit([put('rename', renameOf(`r${n}`, { sequence: 3 }))]);
      await state.journal.commit([put('rename-step', renameStepOf(`r${n}`, 0))]);
      state.attributes.setFolder(`/${n}`, { mode: n });
      // The second of them was the last that was set.
      state.attributes.setFolder('/both', { mode: n, ctime: [7, 9, 8][n] });
      await state.close();
    }
    return directories;
  }

  async function expectAll({ recovery, journal, attributes, drafts }: LocalState): Promise<void> {
    expect(recovery.drafts.map(({ facts }) => facts.key).sort()).toEqual(['key0', 'key1', 'key2']);
    expect((await drafts.list()).map(({ size }) => size)).toEqual([4, 4, 4]);
    const { deletions, renames } = journal.contents;
    expect(deletions.map(({ key }) => key).sort()).toEqual(['gone0', 'gone1', 'gone2']);
    expect(renames.map(({ rename, steps }) => [rename.id, steps.length]).sort()).toEqual([
      ['r0', 1],
      ['r1', 1],
      ['r2', 1],
    ]);
    const sequences = [...recovery.drafts, ...deletions, ...renames.map(({ rename }) => rename)].map(
      ({ sequence }) => sequence,
    );
    expect(new Set(sequences).size).toBe(9);
    const folders = await attributes.folders();
    for (const n of [0, 1, 2]) expect(folders.get(`/${n}`)).toEqual({ mode: n });
  }

  it('is in one directory then, and nothing of it is left elsewhere', async () => {
    const directories = await threeDead();

    const state = await open(...directories);

    expect(state.directory).toBe(directories[0]);
    await expectAll(state);
    expect((await state.attributes.folders()).get('/both')).toEqual({ mode: 1, ctime: 9 });
    expect(await readdir(join(directories[0], '..'))).toEqual(['0']);
    expect(messages).toEqual([]);
  });

  it('is taken over once, also when the first try was killed before the others were emptied', async () => {
    const directories = await threeDead();
    const [own, , last] = directories;
    const copy = await temporaryDirectory();
    await cp(last, copy, { recursive: true });
    const first = await open(...directories);
    const other = await open(copy);
    const { id } = other.journal;
    await other.close();
    await first.journal.commit([put('absorbed', { journal: id, at: 1 })]);
    await first.close();
    await cp(copy, last, { recursive: true });

    const state = await open(last, own);

    expect(state.directory).toBe(own);
    await expectAll(state);
    expect(await readdir(join(own, '..'))).toEqual(['0']);
  });

  it('is not there again when what has taken it over is taken over itself, before it could be emptied', async () => {
    const [own, absorber, busy] = await threeDead();
    const elsewhere = await open(busy);
    const killed = await open(absorber);
    await killed.journal.commit([put('absorbed', { journal: elsewhere.journal.id, at: 1 })]);
    await killed.close();
    await (await open(own, absorber, busy)).close();
    await elsewhere.close();

    const state = await open(own, busy);

    expect(state.recovery.drafts.map(({ facts }) => facts.key)).toEqual(['key0', 'key1']);
    expect(await readdir(join(own, '..'))).toEqual(['0']);
  });

  it('stays where it is when it cannot be taken over, and the log says so', async () => {
    const [own, other, busy] = await threeDead();
    const elsewhere = await open(busy);
    await writeFile(join(other, 'drafts', 'raw'), 'raw');

    const state = await open(own, other, busy);

    expect(state.recovery.drafts.map(({ facts }) => facts.key)).toEqual(['key0', 'key1']);
    expect(state.recovery.unreadable.map(({ id }) => id)).toEqual(['raw']);
    expect(messages).toEqual(['what an earlier mount left could not be taken over, and stays where it is']);
    expect(elsewhere.recovery.drafts).toHaveLength(1);
  });
});
