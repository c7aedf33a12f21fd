/** What is known of a name after own changes, answers that come late, and a wish to ask anew? */
import { beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { Outcome } from '../../src/namespace/entries.ts';
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import type { KeptLocals } from '../../src/namespace/kept-locals.ts';
import { KnownNames } from '../../src/namespace/known-names.ts';
import { Version } from '../../src/store/version.ts';
import { ManualClock } from '../support/manual-clock.ts';

const FACTS = { size: 1, etag: 'e', lastModified: new Date(0), contentType: 'text/plain' };
const stored: Outcome = { kind: 'file', version: Version.told(FACTS) };
const nothing = { recall: () => undefined, onlyThese: () => undefined };
const locals: KeptLocals = {
  ofFolder: () => Promise.resolve(nothing),
  ofFile: () => Promise.resolve(nothing),
  changed: () => undefined,
};

let clock: ManualClock;
let known: KnownNames;

beforeEach(() => {
  clock = new ManualClock();
  const folders = new FolderMemory(new NamesRoom(1_000_000));
  known = new KnownNames({ clock, log: silentLog, ttl: 10_000, folders, locals });
});

it('a file stored here meanwhile stays, where the listing had told of its name alone and nothing of it was found', () => {
  const at = clock.monotonic();
  const listed = { since: at, at, pages: 1, hidden: 1, odd: new Set(['f']), told: true, folders: [] };
  known.folderMade('/d');
  known.folder('/d')?.becomeListed(listed);
  const question = known.ask();
  known.changed('/d/f', stored);

  const now = known.learnGone('/d/f', question, at);

  expect([now?.kind, known.recall('/d/f')?.kind]).toEqual(['file', 'file']);
});

it('changes are not remembered for a question that was answered', () => {
  const question = known.ask();
  known.learn('/f', question, clock.monotonic(), null);

  known.changed('/f', stored);

  expect(known.isChangedSince(question, '/f')).toBe(false);
});

it('what was asked for a moment ago is believed no more once somebody wants all to be asked anew', () => {
  const before = clock.monotonic() - 1;
  known.learn('/f', known.ask(), clock.monotonic(), { ...FACTS, kept: nothing });
  const told = known.recallFresh('/f', before)?.kind;
  clock.advance(1);

  known.refresh('/f');

  expect([told, known.recallFresh('/f', before)]).toEqual(['file', undefined]);
});

it('a folder whose last file goes is in sight also where a listing has come meanwhile that shows it no more', () => {
  known.folderMade('/d');
  known.changed('/d/f', stored);
  known.folder('/')?.names.set('d', { kind: 'missing', confirmedAt: clock.monotonic() });

  known.changed('/d/f', { kind: 'missing' });

  expect(known.recall('/d')?.kind).toBe('folder');
});
