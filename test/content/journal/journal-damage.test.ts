import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { put } from '../../../src/content/journal/journal.ts';
import { rowText } from '../../../src/content/journal/row-text.ts';
import { draftRecordOf } from '../../support/journal-records.ts';
import { openJournal } from '../../support/open-journal.ts';
import { propertySettings } from '../../support/property-settings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const RECORDS = 40;
const recordOf = (n: number) => draftRecordOf(`d${n}`, { sequence: n, reason: 'x'.repeat(2000) });
const all = Array.from({ length: RECORDS }, (_, n) => recordOf(n));

/** Whatever happens to its files, a journal opens, shows only what was written, and takes new records. */
async function expectUsable(directory: string): Promise<void> {
  const { journal } = await openJournal(directory);
  for (const record of journal.contents.drafts) expect(all).toContainEqual(record);
  await journal.commit([put('draft', draftRecordOf('new'))]);
  await journal.close();
  const again = await openJournal(directory);
  expect(again.journal.contents.drafts).toContainEqual(draftRecordOf('new'));
  await again.journal.close();
}

/** Tables, a log and all else that a database of several starts has. */
async function filledJournal(): Promise<string> {
  const directory = await temporaryDirectory();
  for (let n = 0; n < RECORDS; n += 10) {
    const { journal } = await openJournal(directory);
    for (const record of all.slice(n, n + 10)) await journal.commit([put('draft', record)]);
    await journal.close();
  }
  return directory;
}

async function copied(from: string): Promise<string> {
  const to = await temporaryDirectory();
  await cp(from, to, { recursive: true });
  return to;
}

const damages: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'cut to nothing': (path) => truncate(path, 0),
  'cut in half': async (path) => {
    await truncate(path, Math.floor((await readFile(path)).length / 2));
  },
  'without its last bytes': async (path) => {
    await truncate(path, Math.max(0, (await readFile(path)).length - 5));
  },
  'with a byte turned': async (path) => {
    const bytes = await readFile(path);
    const middle = Math.floor(bytes.length / 2);
    if (bytes.length > 0) bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
    await writeFile(path, bytes);
  },
  'filled with zeros': async (path) => {
    await writeFile(path, new Uint8Array((await readFile(path)).length));
  },
  removed: (path) => rm(path),
  'replaced by a folder': async (path) => {
    await rm(path);
    await mkdir(path);
  },
};

describe('a journal of which one file was', () => {
  for (const [title, damage] of Object.entries(damages)) {
    it(`${title} opens all the same, whichever file it is`, async () => {
      const whole = await filledJournal();
      for (const name of await readdir(join(whole, 'journal'))) {
        const directory = await copied(whole);
        await damage(join(directory, 'journal', name));

        await expectUsable(directory);
      }
    });
  }

  it('damaged anywhere opens all the same', async () => {
    const whole = await filledJournal();
    const names = await readdir(join(whole, 'journal'));
    const damage = fc.record({
      name: fc.constantFrom(...names),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    });

    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (places) => {
        const directory = await copied(whole);
        for (const { name, at } of places) {
          const path = join(directory, 'journal', name);
          const bytes = await readFile(path);
          const position = Math.floor(at * (bytes.length - 1));
          if (bytes.length > 0) bytes[position] = (bytes[position] ?? 0) ^ 0x10;
          await writeFile(path, bytes);
        }

        await expectUsable(directory);
        await rm(directory, { recursive: true });
      }),
      propertySettings(25),
    );
  });
});

describe('a journal that cannot be read', () => {
  it('is moved aside whole, and the log says where', async () => {
    const directory = await filledJournal();
    await writeFile(join(directory, 'journal', 'CURRENT'), 'MANIFEST-999999\n');

    const { journal, messages } = await openJournal(directory);

    expect(journal.contents.drafts).toEqual([]);
    expect(messages).toEqual(['a local database cannot be read and was moved aside']);
    const aside = (await readdir(directory)).filter((name) => name.startsWith('journal.damaged-'));
    expect(aside).toHaveLength(1);
    expect(await readdir(join(directory, aside[0] ?? ''))).toContain('CURRENT');
  });

  it('is not overwritten when a later pailfs wrote it', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'journal'), { recursive: true });
    await withRows(directory, async (rows) => {
      await rows.put('head', rowText('head', { format: 2, id: 'later' }));
    });

    await expect(openJournal(directory)).rejects.toMatchObject({ name: 'DatabaseTooNew' });
  });
});

describe('a journal whose newest records the database passes over, since they are damaged', () => {
  it('says so, once', async () => {
    const directory = await filledJournal();
    const log = await newestLog(directory);
    const bytes = await readFile(log);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await writeFile(log, bytes);

    const { journal, messages } = await openJournal(directory);
    await journal.close();

    expect(messages).toEqual(['records of a local database are damaged and lost']);
    expect((await openJournal(directory)).messages).toEqual([]);
  });

  it('says nothing where a kill has cut the last', async () => {
    const directory = await filledJournal();
    const log = await newestLog(directory);
    await truncate(log, (await readFile(log)).length - 5);

    expect((await openJournal(directory)).messages).toEqual([]);
  });

  it('is moved aside whole where it would take itself for new, and delete its tables', async () => {
    const directory = await filledJournal();
    await rm(join(directory, 'journal', 'CURRENT'));
    const before = await readdir(join(directory, 'journal'));

    const { messages } = await openJournal(directory);

    expect(messages).toEqual(['a local database cannot be read and was moved aside']);
    const aside = (await readdir(directory)).find((name) => name.startsWith('journal.damaged-'));
    expect(await readdir(join(directory, aside ?? ''))).toEqual(before);
  });
});

describe('a damaged record', () => {
  it('is put aside with its text and logged once; the others are there', async () => {
    const directory = await filledJournal();
    await withRows(directory, async (rows) => {
      await rows.put('draft/d3', (await rows.get('draft/d3'))?.replace('queued', 'stored') ?? '');
      await rows.put('draft/d4', '');
      await rows.put('nonsense', 'nonsense');
    });

    const { journal, messages } = await openJournal(directory);
    await journal.close();
    const again = await openJournal(directory);
    await again.journal.close();

    expect(journal.contents.damaged.map(({ name }) => name)).toEqual(['draft/d3', 'draft/d4', 'nonsense']);
    expect(messages).toHaveLength(3);
    expect(again.messages).toEqual([]);
    expect(again.journal.contents.drafts).toEqual(all.filter(({ id }) => id !== 'd3' && id !== 'd4'));
    await withRows(directory, async (rows) => {
      expect(await rows.get('damaged/nonsense')).toContain('nonsense');
    });
  });

  it('is one, too, that is whole but means nothing', async () => {
    const directory = await temporaryDirectory();
    const { journal } = await openJournal(directory);
    const odd = put('draft', draftRecordOf('odd', { state: 'asleep' as 'queued' }));
    await journal.commit([odd]);
    await journal.close();

    const { contents } = (await openJournal(directory)).journal;

    expect(contents.drafts).toEqual([]);
    expect(contents.damaged.map(({ name }) => name)).toEqual(['draft/odd']);
  });
});

async function withRows(directory: string, action: (rows: ClassicLevel) => Promise<void>): Promise<void> {
  const rows = new ClassicLevel(join(directory, 'journal'), { keyEncoding: 'utf8', valueEncoding: 'utf8' });
  await rows.open();
  await action(rows);
  await rows.close();
}

/** Where what was committed last is. */
async function newestLog(directory: string): Promise<string> {
  const { journal } = await openJournal(directory);
  await journal.commit([put('draft', recordOf(0))]);
  await journal.close();
  const logs = (await readdir(join(directory, 'journal'))).filter((name) => name.endsWith('.log'));
  expect(logs).toHaveLength(1);
  return join(directory, 'journal', logs[0] ?? '');
}
