import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { put, type Journal } from '../../../src/content/journal/journal.ts';
import { draftRecordOf } from '../../support/journal-records.ts';
import { openJournal } from '../../support/open-journal.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const LOADER = new URL('../../support/typescript-loader.mjs', import.meta.url).href;
const CHILD = new URL('./committing-child.ts', import.meta.url);
const KILLS = 5;

/** Commits in another process, which is killed after so many were confirmed. Resolves with those confirmed. */
async function commitAndKill(directory: string, run: number, after: number): Promise<string[]> {
  const child = fork(CHILD, [directory, String(run)], { execArgv: ['--import', LOADER] });
  const confirmed: string[] = [];
  child.on('message', (id) => {
    confirmed.push(id as string);
    if (confirmed.length === after) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return confirmed;
}

describe('a journal whose process is killed in the middle of writing', () => {
  it('holds all that was confirmed, and is not moved aside', async () => {
    const directory = await temporaryDirectory();
    const confirmed: string[] = [];

    for (let run = 0; run < KILLS; run += 1) {
      confirmed.push(...(await commitAndKill(directory, run, 1 + run * 73)));

      const { journal, messages } = await openJournal(directory);
      const held = new Set(journal.contents.drafts.map(({ id }) => id));
      expect(confirmed.filter((id) => !held.has(id))).toEqual([]);
      expect(messages).toEqual([]);
      await journal.close();
    }
    expect(await readdir(directory)).toEqual(['journal']);
  });
});

async function commitOne(journal: Journal, id: string): Promise<void> {
  await journal.commit([put('draft', draftRecordOf(id, { reason: 'x'.repeat(3000) }))]);
}

describe.runIf(process.getuid?.() === 0)('a journal on a full disk', () => {
  it('says so, loses nothing that it had taken, and goes on when there is room again', async () => {
    const directory = await smallDisk(4);
    const { journal } = await openJournal(directory);
    const confirmed: string[] = [];
    const errors: unknown[] = [];

    for (let round = 0; round < 3; round += 1) {
      const filler = join(directory, 'filler');
      await writeFile(filler, new Uint8Array(64 * 1024 * 1024)).catch(() => undefined);
      for (let n = 0; n < 20; n += 1) {
        const id = `r${round}-${n}`;
        await commitOne(journal, id).then(
          () => confirmed.push(id),
          (error: unknown) => errors.push(error),
        );
      }
      await rm(filler);
      await commitOne(journal, `r${round}-after`);
      confirmed.push(`r${round}-after`);
    }
    await journal.close();

    const again = await openJournal(directory);
    onTestFinished(() => again.journal.close());
    const held = new Set(again.journal.contents.drafts.map(({ id }) => id));
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject({ code: 'ENOSPC' });
    expect(confirmed.filter((id) => !held.has(id))).toEqual([]);
    expect(again.messages).toEqual([]);
  });

  it('is not taken for a damaged one', async () => {
    const directory = await smallDisk(4);
    const { journal } = await openJournal(directory);
    await commitOne(journal, 'a');
    await journal.close();
    const filler = join(directory, 'filler');
    await writeFile(filler, new Uint8Array(64 * 1024 * 1024)).catch(() => undefined);

    await expect(openJournal(directory)).rejects.toMatchObject({ code: 'ENOSPC' });

    await rm(filler);
    const again = await openJournal(directory);
    expect(again.journal.contents.drafts.map(({ id }) => id)).toEqual(['a']);
  });
});
