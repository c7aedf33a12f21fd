/** A mount takes over what dead ones left, perhaps not for the first time: what is in which directory then, and what is said of it? */
import { link, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { absorb, type OpenedState } from '../../src/content/journal/absorb.ts';
import { put, remove } from '../../src/content/journal/journal.ts';
import { nodeLocalFiles, writeFully } from '../../src/content/local-files.ts';
import { openLocalState, type LocalState } from '../../src/content/local-state.ts';
import { deletionOf, draftFactsOf, draftRecordOf, renameOf, shelvedOf } from '../support/journal-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { LogForTest } from '../support/program-acts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const WHOLE = { size: 5, md5: null, at: 2000 } as const;

async function open(log: LogForTest, ...directories: readonly [string, ...string[]]): Promise<LocalState> {
  for (const directory of directories) await mkdir(directory, { recursive: true });
  const state = await openLocalState(directories, { files: nodeLocalFiles, clock: new ManualClock(), log });
  onTestFinished(() => state.close());
  return state;
}

/** A directory of this mount, and that of a dead one with a draft that waits. */
async function twoDirectories(): Promise<{ readonly own: string; readonly dead: string }> {
  const home = await temporaryDirectory();
  const [own, dead] = [join(home, 'own'), join(home, 'dead')];
  const state = await open(new LogForTest(), dead);
  const facts = draftFactsOf('waits', { sealed: WHOLE });
  const file = await state.drafts.create(facts);
  await writeFully(file, Buffer.from('bytes'), 0);
  await file.sync();
  await file.close();
  await state.journal.commit([put('draft', draftRecordOf(file.id, { facts, sequence: 5 }))]);
  state.attributes.setFolder('/a', { mode: 0o700 });
  await state.close();
  return { own, dead };
}

const waiting = ({ recovery }: LocalState): readonly string[] =>
  recovery.drafts.map(({ facts }) => facts.key);

it('also where a kill had left half of it on its way out', async () => {
  const { own, dead } = await twoDirectories();
  await mkdir(join(dead, 'drafts.absorbed'));
  await writeFile(join(dead, 'drafts.absorbed', 'rest'), 'rest');
  const log = new LogForTest();

  const state = await open(log, own, dead);

  expect([waiting(state), await readdir(join(own, '..')), log.lines]).toEqual([['waits'], ['own'], []]);
});

it('and what a person was told to look for there stays, which is no complaint', async () => {
  const { own, dead } = await twoDirectories();
  await mkdir(join(dead, 'journal.damaged-1'));
  const log = new LogForTest();

  const state = await open(log, own, dead);

  expect([waiting(state), await readdir(dead), log.lines]).toEqual([['waits'], ['journal.damaged-1'], []]);
});

it('and is not kept in mind once the other directory is gone', async () => {
  const { own, dead } = await twoDirectories();
  await (await open(new LogForTest(), own, dead)).close();

  const { journal } = await open(new LogForTest(), own);

  expect([...journal.contents.absorbed]).toEqual([]);
});

it('and the same process can use the other directory again', async () => {
  const { own, dead } = await twoDirectories();
  await open(new LogForTest(), own, dead);

  const { attributes } = await open(new LogForTest(), dead);

  expect(await attributes.folders()).toEqual(new Map());
});

it('with the files on its shelf', async () => {
  const { own, dead } = await twoDirectories();
  const state = await open(new LogForTest(), dead);
  const file = await state.drafts.create(draftFactsOf('.x.swp'));
  await file.close();
  await state.journal.commit([put('shelved', shelvedOf(file.id))]);
  await state.close();

  const { journal, recovery } = await open(new LogForTest(), own, dead);

  expect(journal.contents.shelved).toEqual([shelvedOf(file.id)]);
  expect(recovery.drafts.map(({ facts }) => facts.key)).toEqual(['waits']);
});

describe('killed in the middle of it', () => {
  /** What `absorb` has of the dead mount's drafts in both places; the records are, too, if `isRecorded`. */
  async function killed(own: string, dead: string, isRecorded: boolean): Promise<void> {
    const [into, from] = [await open(new LogForTest(), own), await open(new LogForTest(), dead)];
    if (isRecorded) await absorb(placeOf(into), placeOf(from), 1);
    else
      for (const { id } of await from.drafts.list())
        await link(from.drafts.pathOf(id), into.drafts.pathOf(id));
    await Promise.all([into.close(), from.close()]);
  }

  const placeOf = ({ directory, drafts, journal }: LocalState): OpenedState => ({
    directory,
    draftsPath: drafts.path,
    journal,
  });

  it('it is taken over all the same', async () => {
    const { own, dead } = await twoDirectories();
    await killed(own, dead, false);
    const log = new LogForTest();

    const state = await open(log, own, dead);

    expect([waiting(state), await readdir(join(own, '..')), log.lines]).toEqual([['waits'], ['own'], []]);
    expect(state.recovery.drafts[0]?.state).toBe('queued');
  });

  it('it does not come back once the mount has stored what it took', async () => {
    const { own, dead } = await twoDirectories();
    await killed(own, dead, true);
    const state = await open(new LogForTest(), own);
    for (const record of state.recovery.drafts) {
      await state.journal.commit([remove('draft', record)]);
      await state.drafts.remove(record.id);
    }
    await state.close();

    expect(waiting(await open(new LogForTest(), own, dead))).toEqual([]);
  });
});

it('in the order in which it was promised, of whatever kind it is', async () => {
  const { own, dead } = await twoDirectories();
  const state = await open(new LogForTest(), dead);
  await state.journal.commit([put('deletion', deletionOf(4)), put('deletion', deletionOf(6))]);
  await state.journal.commit([put('rename', renameOf('r', { sequence: 1 }))]);
  await state.close();

  const { journal, recovery } = await open(new LogForTest(), own, dead);

  const { deletions, renames } = journal.contents;
  const before = renames.map(({ rename }) => rename);
  const inOrder = [...before, ...deletions.slice(0, 1), ...recovery.drafts, ...deletions.slice(1)];
  const sequences = inOrder.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  expect(sequences).toHaveLength(4);
});

it('not where the disk does not let it: that is where it was, and the mount begins all the same', async () => {
  const { own, dead } = await twoDirectories();
  // No file: it gets no second name.
  await mkdir(join(dead, 'drafts', 'a directory'));
  const log = new LogForTest();

  await open(log, own, dead);
  const left = await open(new LogForTest(), dead);

  expect(left.recovery.drafts).toMatchObject([{ state: 'queued', facts: { key: 'waits' } }]);
  expect(log.lines).toMatchObject([{ level: 'error', fields: { directory: dead } }]);
});
