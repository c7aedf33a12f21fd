/** A mount begins again where one was: what does it make of drafts that are not, or are just about, what the journal says of them? */
import { describe, expect, it, onTestFinished } from 'vitest';
import { put } from '../../src/content/journal/journal.ts';
import { nodeLocalFiles, writeFully, type LocalFiles } from '../../src/content/local-files.ts';
import { openLocalState, type LocalState } from '../../src/content/local-state.ts';
import { draftFactsOf, draftRecordOf } from '../support/journal-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { LogForTest } from '../support/program-acts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const WHOLE = { size: 5, md5: null, at: 2000 } as const;

async function open(
  log: LogForTest,
  directory: string,
  files: LocalFiles = nodeLocalFiles,
): Promise<LocalState> {
  const state = await openLocalState([directory], { files, clock: new ManualClock(), log });
  onTestFinished(() => state.close());
  return state;
}

it('a file whose program had emptied it is not said to be gone, however often a mount begins', async () => {
  const directory = await temporaryDirectory();
  const state = await open(new LogForTest(), directory);
  const file = await state.drafts.create(draftFactsOf('emptied'));
  await file.close();
  await state.journal.commit([put('draft', draftRecordOf(file.id, { state: 'open', facts: file.facts }))]);
  await state.close();
  const log = new LogForTest();

  await (await open(log, directory)).close();
  await (await open(log, directory)).close();

  expect(log.lines).toEqual([]);
});

it('a file that is longer than what was promised of it is set aside', async () => {
  const directory = await temporaryDirectory();
  const state = await open(new LogForTest(), directory);
  const facts = draftFactsOf('longer', { sealed: WHOLE });
  const file = await state.drafts.create(facts);
  await writeFully(file, Buffer.from('bytes and more'), 0);
  await file.close();
  await state.journal.commit([put('draft', draftRecordOf(file.id, { facts }))]);
  await state.close();

  const { recovery } = await open(new LogForTest(), directory);

  expect(recovery.drafts).toMatchObject([
    { state: 'set aside', reason: 'its file is not as long as it was' },
  ]);
});

describe('a draft whose record was on the disk before its bytes', () => {
  async function withoutItsBytes(isAhead: boolean): Promise<string> {
    const directory = await temporaryDirectory();
    const state = await open(new LogForTest(), directory);
    const facts = draftFactsOf('ahead', { sealed: { ...WHOLE, md5: 'f'.repeat(32) } });
    const file = await state.drafts.create(facts);
    await writeFully(file, Buffer.from('bytes'), 0);
    await file.close();
    await state.journal.commit([put('draft', draftRecordOf(file.id, { facts, isAhead }))]);
    await state.close();
    return directory;
  }

  it.each([
    [true, 'set aside'],
    [false, 'queued'],
  ])('is looked at when a mount begins, and no other: %s', async (isAhead, state) => {
    const { recovery } = await open(new LogForTest(), await withoutItsBytes(isAhead));

    expect(recovery.drafts).toMatchObject([{ state }]);
  });

  it('waits for the next mount where it cannot be read now', async () => {
    const directory = await withoutItsBytes(true);
    const unreadable = Object.assign(new Error('the disk fails'), { code: 'EIO' });
    const files: LocalFiles = { ...nodeLocalFiles, open: () => Promise.reject(unreadable) };

    const { recovery } = await open(new LogForTest(), directory, files);

    expect(recovery.drafts).toMatchObject([{ state: 'queued' }]);
  });
});

it('attributes of a draft that is gone are gone, too', async () => {
  const directory = await temporaryDirectory();
  const before = await open(new LogForTest(), directory);
  before.attributes.setDraft('gone', { mode: 0o700 });
  await before.close();

  const { attributes } = await open(new LogForTest(), directory);

  expect(await attributes.ofDraft('gone')).toBeUndefined();
});

it('an empty file that was promised stays, also when its record is lost', async () => {
  const directory = await temporaryDirectory();
  const state = await open(new LogForTest(), directory);
  const empty = { ...WHOLE, size: 0 };
  for (const key of ['recorded', 'unknown']) {
    const file = await state.drafts.create(draftFactsOf(key, { sealed: empty }));
    await file.close();
    if (key === 'recorded')
      await state.journal.commit([put('draft', draftRecordOf(file.id, { facts: file.facts }))]);
  }
  await state.close();

  const { recovery } = await open(new LogForTest(), directory);

  expect(recovery.drafts.map(({ facts, state: now }) => [facts.key, now])).toEqual([
    ['recorded', 'queued'],
    ['unknown', 'set aside'],
  ]);
});
