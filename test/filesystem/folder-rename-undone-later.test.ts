/** SEMANTICS: the service goes away while a folder is renamed, and comes back before all that was moved is back under the old name. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/service/refusal.ts';
import { mountOver } from '../support/after-a-crash.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, LogForTest } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const FILES = Array.from({ length: 20 }, (_, number) => `f${number}`);
/** Before the service goes away. */
const STORED = 12;
/** Longer than until it is tried again. */
const LATER = 40_000;

interface Options {
  /** Whether the service does what it does not answer, until the program has heard of it. */
  readonly isDone: boolean;
  readonly folders?: readonly string[];
}

type Scene = FileSystemForTest & { readonly line: { isAway: boolean } };

describe.each([
  ['nothing is done of it', false],
  ['it is done all the same', true],
])('what was asked for when the service went away, and %s:', (_what, isDone) => {
  it('all is under the old name by itself, and nothing stays of the new one [rename/undo]', async () => {
    const scene = await withHalfARename({ isDone });
    expect(await names(scene.fs, '/')).toEqual(['d', 'e']);

    scene.line.isAway = false;
    scene.clock.advance(LATER);

    await expect.poll(() => textsOf(scene)).toEqual(textsBelow('d'));
    expect(await names(scene.fs, '/')).toEqual(['d']);
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it('mv, which takes what is left of the new folder for one to move into, hears that there is none [rename/undo]', async () => {
    const { fs, line, ...scene } = await withHalfARename({ isDone });
    line.isAway = false;

    const code = await errnoOfCall(fs.rename('/d', '/e/d', true));

    expect(code).toBe('ENOENT');
    expect(await textsOf(scene)).toEqual(textsBelow('d'));
    await fs.rename('/d', '/e', true);
    expect(await textsOf(scene)).toEqual(textsBelow('e'));
  });

  it('or, while it is away, that it is [rename/undo]', async () => {
    const { fs, mounted } = await withHalfARename({ isDone });

    expect(await errnoOfCall(fs.rename('/d', '/e/d', true))).toBe('ETIMEDOUT');

    expect(await mounted.unsent.list()).toMatchObject([
      { kind: 'rename', path: '/e', to: '/d', state: 'failed' },
    ]);
  });

  it('who asks for it has it undone at once [uploads/retry]', async () => {
    const { line, mounted, ...scene } = await withHalfARename({ isDone });
    line.isAway = false;

    expect(await mounted.unsent.retry(null)).toMatchObject([{ kind: 'rename', isDone: true }]);

    expect(await textsOf(scene)).toEqual(textsBelow('d'));
  });

  it('what programs have written there since stays where they put it', async () => {
    const { fs, line, mounted, ...scene } = await withHalfARename({ isDone });
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

  it('the end of the mount undoes it [rename/undo]', async () => {
    const { line, mounted, ...scene } = await withHalfARename({ isDone });
    line.isAway = false;

    expect(await mounted.close({ patience: 60_000 })).toEqual([]);

    expect(await textsOf(scene)).toEqual(textsBelow('d'));
  });

  it('and a mount that ends before tells of it, and the next one undoes it [rename/undo]', async () => {
    const scene = await withHalfARename({ isDone });

    const unsent = await scene.mounted.close({ patience: 60_000 });

    expect(unsent).toMatchObject([{ path: '/e', file: '', reason: 'not renamed yet: no answer' }]);
    const next = await mountOver({ directory: scene.stateDirectory }, scene);
    await expect.poll(() => next.unsent.list()).toEqual([]);
    expect(await names(next.operations, '/d')).toHaveLength(FILES.length);
    // A copy stays where only the process before knew whether its file may still be deleted.
    expect(await textsOf(scene)).toMatchObject(textsBelow('d'));
  });

  it('an empty folder that it was to replace is there still', async () => {
    const scene = await withHalfARename({ isDone, folders: ['e'] });
    scene.line.isAway = false;

    await scene.mounted.unsent.retry(null);

    expect(await textsOf(scene)).toEqual(textsBelow('d'));
    expect(await names(scene.fs, '/')).toEqual(['d', 'e']);
  });
});

/** The service is away still. */
async function withHalfARename({ isDone, folders = [] }: Options): Promise<Scene> {
  const line = { isAway: false };
  let stored = 0;
  let hasFailed = false;
  const scene = await openForTest({
    log: new LogForTest(),
    between: (inner) =>
      new InterceptedService(inner, async ({ operation }, proceed) => {
        if (operation === 'putObject' && (stored += 1) === STORED) line.isAway = true;
        if (!line.isAway) return proceed();
        await (isDone && !hasFailed ? proceed() : new Promise(setImmediate));
        throw new Refusal('timeout', 'no answer', { operation });
      }),
  });
  for (const name of FILES) await scene.foreignWrite(`d/${name}`, name);
  for (const name of folders) await scene.direct.createFolder(scene.bucket, name);
  expect(await errnoOfCall(scene.fs.rename('/d', '/e', false))).toBe('ETIMEDOUT');
  hasFailed = true;
  const texts = await textsOf(scene);
  expect(Object.keys(texts).some((key) => key.startsWith('e/'))).toBe(true);
  return { ...scene, line };
}

function textsBelow(folder: string): Record<string, string> {
  return Object.fromEntries(FILES.map((name) => [`${folder}/${name}`, name]));
}
