import fc from 'fast-check';
import { readdir } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { put, remove, type JournalChange } from '../../../src/content/journal/journal.ts';
import { rowName } from '../../../src/content/journal/records.ts';
import {
  deletionOf,
  draftRecordOf,
  renameOf,
  renameStepOf,
  shelvedOf,
  someDeletion,
  someDraftRecord,
  someRenameStep,
} from '../../support/journal-records.ts';
import { holdCommit } from '../../support/journal-commits.ts';
import { openJournal, reopenedJournal } from '../../support/open-journal.ts';
import { propertySettings } from '../../support/property-settings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

describe('a journal', () => {
  it('has what it was to make later synced with whatever comes next, unless that is refused', async () => {
    const { journal } = await openJournal(await temporaryDirectory());
    const batch = vi.spyOn(ClassicLevel.prototype, 'batch').mockRejectedValueOnce(new Error('disk full'));
    journal.makeLater([put('deletion', deletionOf(1))]);
    await expect(journal.forget([remove('deletion', deletionOf(2))])).rejects.toThrow('disk full');

    await journal.allMade();

    const syncs = batch.mock.calls.map((call: readonly unknown[]) => call[1]);
    batch.mockRestore();
    expect(syncs).toEqual([{ sync: true }, { sync: true }]);
    await journal.close();
  });

  it('has what it is to make later once that is asked for, also when it came while what came before was made', async () => {
    const { journal } = await openJournal(await temporaryDirectory());
    const first = holdCommit(rowName('deletion', deletionOf(1)));
    journal.makeLater([put('deletion', deletionOf(1))]);
    const made = journal.allMade();
    await first.made;
    journal.makeLater([put('deletion', deletionOf(2))]);
    first.letGo();
    await made;
    const second = holdCommit(rowName('deletion', deletionOf(2)));
    const told = vi.fn();

    const allMade = journal.allMade().then(told);
    await second.made;
    expect(told).not.toHaveBeenCalled();
    second.letGo();
    await allMade;
  });

  it('takes nothing after its end, and stays closed', async () => {
    const directory = await temporaryDirectory();
    const { journal } = await openJournal(directory);
    await journal.close();

    for (let time = 0; time < 3; time += 1)
      await expect(journal.commit([put('deletion', deletionOf(1))])).rejects.toMatchObject({ code: 'EIO' });

    const { journal: next } = await openJournal(directory);
    expect(next.contents.deletions).toEqual([]);
  });

  it('holds after a restart what was put into it, by kind and in order', async () => {
    const directory = await temporaryDirectory();
    const { journal } = await openJournal(directory);
    await journal.commit([put('draft', draftRecordOf('b', { sequence: 2 }))]);
    await journal.commit([
      put('draft', draftRecordOf('a', { sequence: 10 })),
      put('deletion', deletionOf(4)),
      put('rename', renameOf('r')),
      put('rename-step', renameStepOf('r', 1)),
      put('rename-step', renameStepOf('r', 0)),
      put('rename-step', renameStepOf('lost', 0)),
      put('shelved', shelvedOf('s')),
      put('absorbed', { journal: 'j', at: 1 }),
    ]);

    const { contents } = await reopenedJournal(journal, directory);

    expect(contents.drafts.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(contents.deletions).toEqual([deletionOf(4)]);
    expect(contents.renames).toEqual([
      { rename: renameOf('r'), steps: [renameStepOf('r', 0), renameStepOf('r', 1)] },
    ]);
    expect(contents.strayedSteps).toEqual([renameStepOf('lost', 0)]);
    expect(contents.shelved).toEqual([shelvedOf('s')]);
    expect([...contents.absorbed]).toEqual(['j']);
  });

  it('whose last records could not be written says so at its end', async () => {
    const { journal, messages } = await openJournal(await temporaryDirectory());
    const batch = vi.spyOn(ClassicLevel.prototype, 'batch').mockRejectedValueOnce(new Error('disk full'));
    onTestFinished(() => {
      batch.mockRestore();
    });

    journal.forgetLater([remove('draft', draftRecordOf('a'))]);
    await journal.close();

    expect(messages).toEqual(['records that mean nothing any more stay in the journal']);
  });

  it.each(['forget', 'forgetLater'] as const)(
    'knows nothing any more of what was to be removed when the disk was full: %s',
    async (how) => {
      const directory = await temporaryDirectory();
      const { journal } = await openJournal(directory);
      await journal.commit([put('draft', draftRecordOf('a')), put('draft', draftRecordOf('b'))]);
      const batch = vi.spyOn(ClassicLevel.prototype, 'batch').mockRejectedValueOnce(new Error('disk full'));
      onTestFinished(() => {
        batch.mockRestore();
      });

      const forgotten = journal[how]([remove('draft', draftRecordOf('a'))]);
      const refused = journal.commit([put('draft', draftRecordOf('c'))]);
      await Promise.allSettled([forgotten, expect(refused).rejects.toMatchObject({ code: 'EIO' })]);
      await journal.commit([put('draft', draftRecordOf('d'))]);

      const { contents } = await reopenedJournal(journal, directory);
      expect(contents.drafts.map(({ id }) => id)).toEqual(['b', 'd']);
    },
  );

  it('knows nothing any more of what was removed', async () => {
    const directory = await temporaryDirectory();
    const { journal } = await openJournal(directory);
    await journal.commit([put('draft', draftRecordOf('a')), put('draft', draftRecordOf('b'))]);
    await journal.commit([remove('draft', draftRecordOf('a', { state: 'stored' }))]);

    const { contents } = await reopenedJournal(journal, directory);

    expect(contents.drafts).toEqual([draftRecordOf('b')]);
  });

  it('numbers what comes after what waits, also after a restart', async () => {
    const directory = await temporaryDirectory();
    const { journal } = await openJournal(directory);
    await journal.commit([put('deletion', deletionOf(41))]);

    const reopened = await reopenedJournal(journal, directory);

    expect([reopened.nextSequence(), reopened.nextSequence()]).toEqual([42, 43]);
  });

  it('keeps its identity, and no other has it', async () => {
    const directory = await temporaryDirectory();
    const { journal } = await openJournal(directory);
    const other = await openJournal(await temporaryDirectory());

    const reopened = await reopenedJournal(journal, directory);

    expect(reopened.id).toBe(journal.id);
    expect(other.journal.id).not.toBe(journal.id);
  });

  it('takes the commits of many at once, each of them on the disk when it says so', async () => {
    const directory = await temporaryDirectory();
    const { journal } = await openJournal(directory);

    await Promise.all(
      Array.from({ length: 500 }, (_, n) => journal.commit([put('draft', draftRecordOf(`d${n}`))])),
    );

    const { contents } = await reopenedJournal(journal, directory);
    expect(contents.drafts).toHaveLength(500);
  });

  it('that another process has open is refused, and stays where it is', async () => {
    const directory = await temporaryDirectory();
    await openJournal(directory);

    const opening = openJournal(directory);

    await expect(opening).rejects.toMatchObject({ name: 'DatabaseLocked' });
    expect(await readdir(directory)).toEqual(['journal']);
  });
});

describe('any changes, asked for in any company and with restarts in between', () => {
  const change = (): fc.Arbitrary<{
    readonly name: string;
    readonly record: unknown;
    change: JournalChange;
  }> =>
    fc.oneof(
      someDraftRecord().map((record) => ({
        name: rowName('draft', record),
        record,
        change: put('draft', record),
      })),
      someDeletion().map((record) => ({
        name: rowName('deletion', record),
        record,
        change: put('deletion', record),
      })),
      someRenameStep().map((record) => ({
        name: rowName('rename-step', record),
        record,
        change: put('rename-step', record),
      })),
      someDraftRecord().map((record) => ({
        name: rowName('draft', record),
        record: undefined,
        change: remove('draft', record),
      })),
    );
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.array(fc.array(change(), { maxLength: 4 }), { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  );

  it('leave what a map would hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const directory = await temporaryDirectory();
        let { journal } = await openJournal(directory);
        const model = new Map<string, unknown>();

        for (const commits of [...steps, 'restart' as const]) {
          if (commits === 'restart') {
            journal = await reopenedJournal(journal, directory);
            continue;
          }
          for (const { name, record } of commits.flat()) {
            if (record === undefined) model.delete(name);
            else model.set(name, record);
          }
          await Promise.all(commits.map((changes) => journal.commit(changes.map((one) => one.change))));
        }

        const { drafts, deletions, strayedSteps } = journal.contents;
        const held = new Map<string, unknown>([
          ...drafts.map((record) => [rowName('draft', record), record] as const),
          ...deletions.map((record) => [rowName('deletion', record), record] as const),
          ...strayedSteps.map((record) => [rowName('rename-step', record), record] as const),
        ]);
        expect(held).toEqual(model);
        await journal.close();
      }),
      propertySettings(25),
    );
  });
});
