/** A journal for a test, closed when the test has ended. */
import { onTestFinished } from 'vitest';
import type { Log } from '../../src/base/log.ts';
import { Journal } from '../../src/content/journal/journal.ts';
import { ManualClock } from './manual-clock.ts';

export interface JournalForTest {
  readonly journal: Journal;
  /** The messages that were logged at its opening. */
  readonly messages: readonly string[];
}

export async function openJournal(directory: string): Promise<JournalForTest> {
  const messages: string[] = [];
  const note = (message: string): void => {
    messages.push(message);
  };
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const journal = await Journal.open({ directory, clock: new ManualClock(), log });
  onTestFinished(() => journal.close());
  return { journal, messages };
}

/** As the next process finds it. */
export async function reopenedJournal(journal: Journal, directory: string): Promise<Journal> {
  await journal.close();
  return (await openJournal(directory)).journal;
}
