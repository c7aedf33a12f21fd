/**
 * What does a mount find on this machine when it starts, its own and what dead mounts left, and how does it get ready to go on
 * with it?
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { DraftFolder } from './draft-folder.ts';
import { absorb, forget, type OpenedState } from './journal/absorb.ts';
import { Journal, put, remove } from './journal/journal.ts';
import { KeptAttributes } from './journal/kept-attributes.ts';
import type { DraftRecord } from './journal/records.ts';
import { recover, type Recovery } from './journal/recovery.ts';
import type { LocalFiles } from './local-files.ts';

const DRAFTS = 'drafts';
/** What of an absorbed directory has no meaning any more. The journal goes last: by it the rest is known to be absorbed. */
const ABSORBED = [DRAFTS, 'spool', 'attributes', 'journal'];

export interface LocalStateParts {
  readonly files: LocalFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a mount works with. `close` comes last. */
export interface LocalState {
  readonly directory: string;
  readonly journal: Journal;
  readonly drafts: DraftFolder;
  readonly attributes: KeptAttributes;
  /** What to go on with; the journal says the same. */
  readonly recovery: Recovery;
  /** A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Opens the first of `directories` and takes over what is in the others; all exist and are claimed by this process. One that
 * cannot be taken over stays as it is, and the log says so. Rejects with `DatabaseLocked`, `DatabaseTooNew`, or the disk's error
 * when the own one cannot be opened.
 */
export async function openLocalState(
  directories: readonly [string, ...string[]],
  parts: LocalStateParts,
): Promise<LocalState> {
  const directory = await takeOver(directories, parts);
  const place = { directory, clock: parts.clock, log: parts.log };
  const { journal, draftsPath } = await openState(directory, parts);
  let attributes: KeptAttributes | undefined;
  // Also after a failure: a bucket of a mount of all is opened again by the same process, which must not be in its own way.
  const close = async (): Promise<void> => {
    try {
      await attributes?.close();
    } finally {
      await journal.close();
    }
  };
  try {
    const drafts = new DraftFolder(draftsPath, parts.files);
    attributes = await KeptAttributes.open(place);
    const recovery = await settled(journal, drafts, parts.log);
    const recorded = [...recovery.drafts, ...journal.contents.shelved];
    await attributes.onlyDrafts(new Set(recorded.map(({ id }) => id)));
    let closing: Promise<void> | undefined;
    return { directory, journal, drafts, attributes, recovery, close: () => (closing ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Resolves with the directory in which everything is then. */
async function takeOver(
  directories: readonly [string, ...string[]],
  parts: LocalStateParts,
): Promise<string> {
  if (directories.length === 1) return directories[0];
  const opened = await openAll(directories, parts);
  try {
    const gone = new Set(opened.flatMap(({ journal }) => [...journal.contents.absorbed]));
    // One that was absorbed when its absorber was killed may be the first now.
    const into = opened.find(({ journal }) => !gone.has(journal.id)) ?? opened[0];
    for (const from of opened) {
      if (from !== into) await takeOne(into, from, { ...parts, isAbsorbed: gone.has(from.journal.id) });
    }
    return into.directory;
  } finally {
    for (const { journal } of opened) await journal.close();
  }
}

async function openAll(
  [own, ...others]: readonly [string, ...string[]],
  parts: LocalStateParts,
): Promise<[OpenedState, ...OpenedState[]]> {
  const opened: [OpenedState, ...OpenedState[]] = [await openState(own, parts)];
  for (const directory of others) {
    try {
      opened.push(await openState(directory, parts));
    } catch (error) {
      notTaken(directory, error, parts.log);
    }
  }
  return opened;
}

async function takeOne(
  into: OpenedState,
  from: OpenedState,
  { log, clock, isAbsorbed }: LocalStateParts & { readonly isAbsorbed: boolean },
): Promise<void> {
  try {
    if (!isAbsorbed) {
      await takeAttributes(into, from, { clock, log });
      await absorb(into, from, clock.now());
    }
    await from.journal.close();
    await forget(from.directory, ABSORBED);
    await into.journal.commit([remove('absorbed', { journal: from.journal.id, at: clock.now() })]);
  } catch (error) {
    notTaken(from.directory, error, log);
  }
}

async function takeAttributes(
  into: OpenedState,
  from: OpenedState,
  tools: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
  const own = await KeptAttributes.open({ ...tools, directory: into.directory });
  try {
    const others = await KeptAttributes.open({ ...tools, directory: from.directory });
    await own.takeFrom(others).finally(() => others.close());
  } catch (error) {
    // Modes and times are no reason to leave unsent bytes behind.
    tools.log.warn('local attributes of an earlier mount are lost', { cause: describeError(error) });
  } finally {
    await own.close();
  }
}

async function openState(directory: string, parts: LocalStateParts): Promise<OpenedState> {
  const draftsPath = join(directory, DRAFTS);
  await mkdir(draftsPath, { recursive: true, mode: 0o700 });
  const { clock, log } = parts;
  return { directory, draftsPath, journal: await Journal.open({ directory, clock, log }) };
}

/** What is to be done with what was found; journal and disk say so, too, then. */
async function settled(journal: Journal, drafts: DraftFolder, log: Log): Promise<Recovery> {
  const { strayedSteps } = journal.contents;
  const damaged = await damagedAhead(journal.contents.drafts, drafts);
  const recovery = recover(
    journal.contents,
    await drafts.list(),
    () => journal.nextSequence(),
    new Set(damaged),
  );
  for (const id of recovery.removable) await drafts.remove(id);
  await journal.commit([
    ...recovery.drafts.map((record) => put('draft', record)),
    ...recovery.finished.map((record) => remove('draft', record)),
    ...recovery.lost.map((record) => remove('draft', record)),
    ...strayedSteps.map((step) => remove('rename-step', step)),
  ]);
  // One that is planned had not begun. The others are whole under one name at least, and nobody may delete either.
  for (const { from, to } of strayedSteps.filter(({ state }) => state !== 'planned')) {
    log.error('the record of a rename is damaged: a file is under its old name, its new one, or both', {
      from,
      to,
    });
  }
  for (const { facts } of recovery.lost) log.error('the unsent bytes of a file are gone', { key: facts.key });
  return recovery;
}

/** Of whose bytes nobody knows whether the disk has ever had them: those that it does not have. What cannot be read at all is for whoever opens it. */
async function damagedAhead(records: readonly DraftRecord[], drafts: DraftFolder): Promise<string[]> {
  const damaged: string[] = [];
  for (const { id, isAhead, state, facts } of records) {
    if (!isAhead || state === 'stored' || state === 'set aside' || facts.sealed?.md5 == null) continue;
    const md5 = await drafts.md5(id, facts.sealed.size).catch(() => null);
    if (md5 !== null && md5 !== facts.sealed.md5) damaged.push(id);
  }
  return damaged;
}

function notTaken(directory: string, error: unknown, log: Log): void {
  log.error('what an earlier mount left could not be taken over, and stays where it is', {
    directory,
    cause: describeError(error),
  });
}
