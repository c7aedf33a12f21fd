/** SEMANTICS: the service goes away while a folder is renamed, and comes back before all that was moved is back under the old name. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/service/refusal.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { names, openForTest, readFile, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, LogForTest, openToRewrite } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const FILES = Array.from({ length: 20 }, (_, number) => `f${number}`);
/** One of those that are stored before. */
const WRITTEN = 'f0';
/** Before the service goes away: files, or removals. */
const STORED = 12;
/** Longer than until it is tried again. */
const LATER = 40_000;

/** Of what is asked for while the service is away, until the program has heard of it. */
type WhenAway = 'nothing is sent' | 'all but removals is done, without an answer' | 'nothing is answered';

interface Options {
  readonly whenAway: WhenAway;
  readonly folders?: readonly string[];
  /** Whether a program has begun to write `WRITTEN` anew. */
  readonly isWritten?: boolean;
}

interface Line {
  isAway: boolean;
  /** Of files under their old names: what the service has not done yet. */
  readonly removals: (() => Promise<unknown>)[];
}

type Scene = FileSystemForTest & { readonly line: Line };

describe.each<WhenAway>(['nothing is sent', 'all but removals is done, without an answer'])(
  'while the service was away %s:',
  (whenAway) => {
    it('all is under the old name by itself, and nothing stays of the new one [rename/undo]', async () => {
      const scene = await withHalfARename({ whenAway });
      expect(await names(scene.fs, '/')).toEqual(['d', 'e']);

      scene.line.isAway = false;
      scene.clock.advance(LATER);

      // The last step, after that of the folders that are empty by then.
      await expect.poll(() => scene.mounted.unsent.list()).toEqual([]);
      expect(await textsOf(scene)).toEqual(textsBelow('d'));
      expect(await names(scene.fs, '/')).toEqual(['d']);
    });

    it('mv, which takes what is left of the new folder for one to move into, hears that there is none [rename/undo]', async () => {
      const { fs, line, ...scene } = await withHalfARename({ whenAway });
      line.isAway = false;

      const code = await errnoOfCall(fs.rename('/d', '/e/d', true));

      expect(code).toBe('ENOENT');
      expect(await textsOf(scene)).toEqual(textsBelow('d'));
      await fs.rename('/d', '/e', true);
      expect(await textsOf(scene)).toEqual(textsBelow('e'));
    });

    it('or, while it is away, that it is [rename/undo]', async () => {
      const { fs, mounted } = await withHalfARename({ whenAway });

      expect(await errnoOfCall(fs.rename('/d', '/e/d', true))).toBe('EIO');

      expect(await mounted.unsent.list()).toMatchObject([
        { kind: 'rename', path: '/e', to: '/d', state: 'failed' },
      ]);
    });

    it('who asks for it has it undone at once [uploads/retry]', async () => {
      const { line, mounted, ...scene } = await withHalfARename({ whenAway });
      line.isAway = false;

      expect(await mounted.unsent.retry(null)).toMatchObject([{ kind: 'rename', isDone: true }]);

      expect(await textsOf(scene)).toEqual(textsBelow('d'));
    });

    it('what programs have written there since stays where they put it', async () => {
      const { fs, line, mounted, ...scene } = await withHalfARename({ whenAway });
      line.isAway = false;
      const [moved = '', changed = '', removed = ''] = await names(fs, '/e');
      const before = await textsOf(scene);
      await writeFile(fs, `/e/${changed}`, 'newer');
      await writeFile(fs, `/d/${moved}`, 'anew');
      await writeFile(fs, '/e/more', 'more');
      await fs.unlink(`/e/${removed}`);

      await mounted.unsent.retry(null);

      const stays = ([key]: [string, string]): boolean =>
        key in before || ![`d/${changed}`, `d/${removed}`].includes(key);
      expect(await textsOf(scene)).toEqual({
        ...Object.fromEntries(Object.entries(textsBelow('d')).filter(stays)),
        [`d/${moved}`]: 'anew',
        [`e/${moved}`]: moved,
        [`e/${changed}`]: 'newer',
        'e/more': 'more',
      });
      expect(await mounted.unsent.list()).toEqual([]);
    });

    it('what a program was writing when the rename failed goes back with the rest [rename/undo]', async () => {
      const { fs, line, mounted, ...scene } = await withHalfARename({ whenAway, isWritten: true });
      line.isAway = false;

      await mounted.unsent.retry(null);

      expect(await names(fs, '/')).toEqual(['d']);
      expect(String(await readFile(fs, `/d/${WRITTEN}`))).toBe('new');
      expect(Object.keys(await textsOf(scene)).toSorted()).toEqual(Object.keys(textsBelow('d')).toSorted());
      expect(await mounted.unsent.list()).toMatchObject([{ path: `/d/${WRITTEN}`, state: 'open' }]);
    });

    it('the end of the mount undoes it [rename/undo]', async () => {
      const { line, mounted, ...scene } = await withHalfARename({ whenAway });
      line.isAway = false;

      expect(await mounted.close({ patience: 60_000 })).toEqual([]);

      expect(await textsOf(scene)).toEqual(textsBelow('d'));
    });

    it('and a mount that ends before tells of it, and the next one undoes it [rename/undo]', async () => {
      const scene = await withHalfARename({ whenAway });

      const unsent = await scene.mounted.close({ patience: 60_000 });

      expect(unsent).toMatchObject([{ path: '/e', file: '', reason: 'not renamed yet: no answer' }]);
      const next = await mountOver({ directory: scene.stateDirectory }, scene);
      await expect.poll(() => next.unsent.list()).toEqual([]);
      expect(await names(next.operations, '/d')).toHaveLength(FILES.length);
      // A copy stays where only the process before knew whether its file may still be deleted.
      expect(await textsOf(scene)).toMatchObject(textsBelow('d'));
    });

    it('an empty folder that it was to replace is there still', async () => {
      const scene = await withHalfARename({ whenAway, folders: ['e'] });
      scene.line.isAway = false;

      await scene.mounted.unsent.retry(null);

      expect(await textsOf(scene)).toEqual(textsBelow('d'));
      expect(await names(scene.fs, '/')).toEqual(['d', 'e']);
    });
  },
);

it('mv hears of it also where removals were sent, which may arrive later, and no file is lost then [rename/undo]', async () => {
  const { fs, line, clock, mounted, ...scene } = await withHalfARename({ whenAway: 'nothing is answered' });
  line.isAway = false;

  expect(await errnoOfCall(fs.rename('/d', '/e/d', true))).toBe('EIO');

  expect(await textsOf(scene)).toMatchObject(textsBelow('d'));
  expect(await mounted.unsent.list()).toEqual([]);
  expect(line.removals).not.toEqual([]);
  for (const arrive of line.removals) await arrive().catch(() => undefined);
  const texts = await textsOf(scene);
  for (const name of FILES) expect(texts[`d/${name}`] ?? texts[`e/${name}`]).toBe(name);
  // Whoever asks much later means the folder that stands there.
  clock.advance(3 * LATER);
  await fs.rename('/d', '/e/d', true);
});

it('who then moves it to where no folder is, is told so, also below what is left of the new one', async () => {
  const { fs, line } = await withHalfARename({ whenAway: 'nothing is answered' });
  line.isAway = false;
  await fs.mkdir('/e/there', 0o755);

  expect(await errnoOfCall(fs.rename('/d', '/e/missing/d', true))).toBe('ENOENT');
  await fs.rename('/d', '/e/there/d', true);
  expect(await names(fs, '/e/there/d')).toEqual(FILES.toSorted());
});

it('a kill just then does not have the next mount go on with it, also where the local disk does not take that it is undone [rename/undo] [rename/crash]', async () => {
  refuseCommits('put rename/', '"from":"e/"');
  const { line, ...scene } = await withHalfARename({ whenAway: 'nothing is sent' });
  const disk = await diskNow(scene);
  const before = await textsOf(scene);
  line.isAway = false;

  const next = await mountOver(disk, scene);
  expect(await next.close({ patience: LATER })).toEqual([]);

  expect(await textsOf(scene)).toEqual(before);
});

/** The service is away still. */
async function withHalfARename({ whenAway, folders = [], isWritten = false }: Options): Promise<Scene> {
  const line: Line = { isAway: false, removals: [] };
  const last = whenAway === 'nothing is answered' ? 'deleteObject' : 'putObject';
  let stored = 0;
  let hasFailed = false;
  const scene = await openForTest({
    log: new LogForTest(),
    between: (inner) =>
      new InterceptedService(inner, async ({ operation, key = '' }, proceed) => {
        if (operation === last && (stored += 1) === STORED) line.isAway = true;
        if (!line.isAway) return proceed();
        const isRemoval = operation === 'deleteObject';
        const isDone = whenAway === 'all but removals is done, without an answer' && !isRemoval;
        await (isDone && !hasFailed ? proceed() : new Promise(setImmediate));
        const neverSent = whenAway === 'nothing is sent' || (isRemoval && whenAway !== 'nothing is answered');
        if (isRemoval && !neverSent && key.startsWith('d/')) line.removals.push(proceed);
        throw new Refusal('unavailable', 'no answer', { operation, neverSent });
      }),
  });
  for (const name of FILES) await scene.foreignWrite(`d/${name}`, name);
  for (const name of folders) await scene.direct.createFolder(scene.bucket, name);
  if (isWritten) await scene.fs.write(await openToRewrite(scene.fs, `/d/${WRITTEN}`), Buffer.from('new'), 0);
  expect(await errnoOfCall(scene.fs.rename('/d', '/e', false))).toBe('EIO');
  hasFailed = true;
  const texts = await textsOf(scene);
  expect(Object.keys(texts).some((key) => key.startsWith('e/'))).toBe(true);
  return { ...scene, line };
}

function textsBelow(folder: string): Record<string, string> {
  return Object.fromEntries(FILES.map((name) => [`${folder}/${name}`, name]));
}
