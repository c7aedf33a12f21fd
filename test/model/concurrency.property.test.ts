/** SEMANTICS: programs that run at the same time, over a service that answers in any order, lose nothing and wait for nothing in a circle. */
import * as fc from 'fast-check';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import type { ErrnoName } from '../../src/filesystem/errors.ts';
import { openFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { EmbeddedStore } from '../../src/server/embedded-store.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { defaultSettings } from '../support/open-for-test.ts';
import { LogForTest } from '../support/program-acts.ts';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';
import { ACTS, ConcurrentProgram, EDITS, type Stage, type Step } from './concurrent-program.ts';
import { diceOf, hoppingService } from './hopping-service.ts';
import { PathEvents } from './path-events.ts';
import { bytesUnder, namesBelow } from './service-contents.ts';
import { cellsOf, WHOLE } from './stamps.ts';
import { droppedIn, expectLogged, setAsideIn, Told, WitnessedService } from './told.ts';

const PATHS = ['/a', '/b', '/d/x', '/e/x'] as const;
/** Without an end of any operation for this long, milliseconds, the run hangs. */
const HANGS_AFTER = 60_000;

interface Play {
  readonly seed: number;
  readonly faultEvery: number;
  readonly foreign: boolean;
  readonly edits: boolean;
  readonly conflict?: FileSystemSettings['conflict'];
  readonly writeBack?: boolean;
  readonly programs: readonly (readonly Step[])[];
}

const plays = (acts: readonly Step['act'][], paths: readonly string[]): fc.Arbitrary<Play> => {
  const step = fc.record({
    act: fc.constantFrom(...acts),
    path: fc.constantFrom(...paths),
    other: fc.constantFrom(...paths),
  });
  return fc.record({
    seed: fc.nat(),
    faultEvery: fc.constantFrom(0, 0, 8),
    foreign: fc.boolean(),
    edits: fc.boolean(),
    conflict: fc.constantFrom<FileSystemSettings['conflict'][]>(
      'keep-both',
      'keep-both',
      'fail',
      'overwrite',
    ),
    programs: fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 6 }),
  });
};

it(
  'lets programs run at the same time: each operation ends, none hears a strange error, and nothing stored is lost',
  { timeout: PROPERTY_TIMEOUT },
  async () => {
    await fc.assert(fc.asyncProperty(plays([...ACTS, ...EDITS], PATHS), playOnce), propertySettings(300));
  },
);

it(
  'lets programs run at the same time with write-back: the end of the mount stores what they were promised [write-back/conflict]',
  { timeout: PROPERTY_TIMEOUT },
  async () => {
    const runs = plays([...ACTS, ...EDITS], PATHS).map((play): Play => ({
      ...play,
      writeBack: true,
    }));
    await fc.assert(fc.asyncProperty(runs, playOnce), propertySettings(200));
  },
);

it(
  'lets programs work in folders that others rename [rename/folders]',
  { timeout: PROPERTY_TIMEOUT },
  async () => {
    const acts = [
      'turn',
      'turn',
      'folder',
      'rewrite',
      'replace',
      'rename',
      'noreplace',
      'scratch',
      'read',
      'xattrs',
      'refresh',
      'unlink',
      ...EDITS,
    ] as const;
    const runs = fc.asyncProperty(
      plays([...acts, 'foreign', 'foreignDelete'], ['/d/x', '/e/x', '/a']),
      playOnce,
    );
    await fc.assert(runs, propertySettings(150));
  },
);

const on = (act: Step['act'], path: string): Step => ({ act, path, other: '/a' });
const onceFailed: readonly [string, Omit<Play, 'seed'>][] = [
  [
    'a file created by two at once is one file',
    {
      faultEvery: 0,
      foreign: false,
      edits: true,
      programs: [
        [on('rewrite', '/b'), on('overwrite', '/a')],
        [on('rewrite', '/a')],
        [on('append', '/a'), on('rewrite', '/b')],
        [on('rewrite', '/a'), on('append', '/a')],
      ],
    },
  ],
  [
    'a file opened while its refused draft is set aside is stored by its close',
    {
      faultEvery: 0,
      foreign: true,
      edits: false,
      programs: [
        [on('rewrite', '/a'), on('foreign', '/a'), on('rewrite', '/a')],
        [on('rewrite', '/a'), on('rewrite', '/d/x')],
        [on('rewrite', '/a')],
        [on('read', '/d/x'), on('exclusive', '/a'), on('publish', '/a')],
      ],
    },
  ],
  [
    'a file opened while a rename takes its name is the one that was renamed',
    {
      faultEvery: 0,
      foreign: false,
      edits: true,
      programs: [
        [on('rewrite', '/a')],
        [on('replace', '/b'), on('overwrite', '/a'), on('rewrite', '/a')],
        [on('rewrite', '/a')],
        [on('append', '/b'), on('rewrite', '/d/x'), on('replace', '/a')],
      ],
    },
  ],
  [
    'an edit of what others have replaced is set aside with write-back, and the end of the mount names it [write/unmount]',
    {
      faultEvery: 0,
      foreign: true,
      edits: true,
      conflict: 'fail',
      writeBack: true,
      programs: [
        [on('rewrite', '/a'), on('wait', '/a'), on('wait', '/a'), on('append', '/a'), on('foreign', '/a')],
        [on('stat', '/b'), on('append', '/a'), on('wait', '/a')],
      ],
    },
  ],
];

it.each(onceFailed)('%s', { timeout: PROPERTY_TIMEOUT }, async (_, play) => {
  for (let seed = 0; seed < 300; seed += 1) await playOnce({ ...play, seed });
});

async function playOnce(play: Play): Promise<void> {
  const clock = new ManualClock();
  const store = await EmbeddedStore.open({ clock });
  const direct = store.account();
  const { bucket } = await direct.createBucket('photos');
  const stateDirectory = await mkdtemp(join(tmpdir(), 'pailfs-model-'));
  const dice = diceOf(play.seed);
  const log = new LogForTest();
  const witnessed = new WitnessedService(direct);
  const mounted = await openFileSystem({
    service: hoppingService(witnessed, dice, play.faultEvery),
    bucket: await direct.getBucket(bucket),
    clock,
    log,
    settings: {
      ...defaultSettings(stateDirectory),
      conflict: play.conflict ?? 'keep-both',
      writeBack: play.writeBack ?? false,
    },
  });
  const always = new Set<ErrnoName>();
  if (play.faultEvery > 0) for (const code of ['EIO', 'EDQUOT', 'ESTALE'] as const) always.add(code);
  if (play.foreign) always.add('ESTALE');
  const stage: Stage = {
    fs: mounted.operations,
    dice,
    events: new PathEvents(play.writeBack === true),
    told: new Told(),
    always,
    // A fault may leave bytes on the service that nobody knows to be ours.
    conflictsFail: play.conflict === 'fail',
    linksMayFail: play.foreign,
    storeForeign: async (path, content) => {
      await direct.putObject(bucket, path.slice(1), uploadOf(content));
    },
    deleteForeign: async (path) => {
      await direct.deleteObject(bucket, path.slice(1));
    },
    refresh: (path) => {
      mounted.refresh(path);
    },
    passTime: (milliseconds) => {
      clock.advance(milliseconds);
    },
    pending: new Set(),
  };
  try {
    await withoutHang(stage, Promise.all(programsOf(play, stage)));
    const unsent = await mounted.close({ patience: 60_000 });

    const draftsAt = join(stateDirectory, 'drafts');
    const setAside = await setAsideIn({ directory: stateDirectory, clock }, (id) => join(draftsAt, id));
    const isSetAside = (file: string): boolean => setAside.some(({ record }) => record.id === basename(file));
    // `[write/unmount]`: with write-back the end of the mount names what was set aside, too; it does not wait.
    const named = unsent.filter(({ file }) => isSetAside(file));
    expect(named.length).toBe(play.writeBack === true ? setAside.length : 0);
    const isDropped = await droppedIn({ directory: stateDirectory, clock });
    const rest = unsent.filter((each) => !named.includes(each) && !isDropped(each)).map(({ path }) => path);
    const inCopies = await expectCopies({ direct, bucket, log, waiting: new Set(rest) });
    if (play.faultEvery === 0 && !play.foreign) expect(unsent).toEqual([]);
    for (const path of PATHS) {
      if (rest.includes(path)) continue;
      const held = await bytesUnder(direct, bucket, path.slice(1));
      expectPossible(held, play, (stamp) => stage.events.objection(path, stamp, inCopies));
    }
    const drafts = await readdir(draftsAt);
    const kept = unsent.filter(({ file }) => file !== '').map(({ file }) => basename(file));
    // With nothing refused, only a conflict that is not to end with two files leaves a draft.
    if (play.faultEvery === 0 && play.conflict !== 'fail') expect(setAside).toEqual([]);
    for (const draft of setAside) {
      if (play.writeBack === true) expectLogged(draft, log);
      else stage.told.expectRightlySetAside(draft, log, witnessed.taken);
    }
    const all = new Set([...kept, ...setAside.map(({ record }) => record.id)]);
    expect(drafts.sort()).toEqual([...all].sort());
  } finally {
    await store.close();
    await rm(stateDirectory, { recursive: true, force: true });
  }
}

function programsOf({ programs, foreign, edits }: Play, stage: Stage): Promise<void>[] {
  const isPlayed = ({ act }: Step): boolean =>
    (foreign || !act.startsWith('foreign')) && (edits || !EDITS.some((edit) => edit === act));
  return programs.map((steps, number) => new ConcurrentProgram(stage, number).play(steps.filter(isPlayed)));
}

async function withoutHang(stage: Stage, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`these never ended: ${[...stage.pending].join(', ')}`));
    }, HANGS_AFTER);
  });
  try {
    await Promise.race([work, hang]);
  } finally {
    clearTimeout(timer);
  }
}

/** Every cell is what one program wrote; without edits in place, all cells are of the same one. */
function expectPossible(
  held: Buffer | null,
  { edits }: Play,
  objection: (stamp: string | null) => string | null,
): void {
  const cells = held === null ? [] : cellsOf(held);
  for (const cell of cells) expect(cell).toMatch(/^(p\d+-\d+;\.+|\0+)$/);
  if (edits || held?.length === 0) {
    if (held === null) expect(objection(null)).toBeNull();
    return;
  }
  if (held !== null) {
    expect(held.length).toBe(WHOLE);
    expect(new Set(cells).size).toBe(1);
  }
  expect(objection(cells[0] ?? null)).toBeNull();
}

/**
 * What the log says was kept under a name of its own is there, or still on its way; there is nothing else that nobody named.
 * Returns the stamps in it.
 */
async function expectCopies(after: {
  readonly direct: ObjectService;
  readonly bucket: string;
  readonly log: LogForTest;
  readonly waiting: ReadonlySet<string>;
}): Promise<ReadonlySet<string>> {
  const { direct, bucket, log, waiting } = after;
  const copies = log.about('both are kept').map(({ fields }) => String(fields['ours']));
  const stamps = new Set<string>();
  const staying = copies.filter((copy) => namesAfterTurns(copy).length === 1);
  expect(new Set(staying).size).toBe(staying.length);
  for (const copy of copies) {
    const names = namesAfterTurns(copy);
    if (names.some((name) => waiting.has(`/${name}`))) continue;
    const all = await Promise.all(names.map((name) => bytesUnder(direct, bucket, name)));
    const held = all.filter((bytes) => bytes !== null);
    expect(held, copy).not.toEqual([]);
    for (const cell of held.flatMap((bytes) => cellsOf(bytes))) {
      expect(cell).toMatch(/^(p\d+-\d+;\.+|\0+)$/);
      stamps.add(cell);
    }
  }
  const { files } = await namesBelow(direct, bucket, '');
  const known = copies.flatMap(namesAfterTurns);
  const unknown = [...files].filter((key) => key.includes(' (conflict ') && !known.includes(key));
  expect(unknown).toEqual([]);
  return stamps;
}

/** Folders are renamed with what is in them. */
function namesAfterTurns(key: string): string[] {
  return /^[de]\//.test(key) ? [`d${key.slice(1)}`, `e${key.slice(1)}`] : [key];
}
