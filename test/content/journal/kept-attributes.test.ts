import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog, type Log } from '../../../src/base/log.ts';
import { KeptAttributes, type FileAttributes } from '../../../src/content/journal/kept-attributes.ts';
import { RowDatabase } from '../../../src/content/journal/row-database.ts';
import { someVersionRecord } from '../../support/journal-records.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { propertySettings } from '../../support/property-settings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function open(directory: string, most?: number, log: Log = silentLog): Promise<KeptAttributes> {
  const kept = await KeptAttributes.open({ directory, clock: new ManualClock(), log }, most);
  onTestFinished(() => kept.close());
  return kept;
}

const withMode = (mode: number): FileAttributes => ({ version: someVersionRecord, local: { mode } });
const setAt = (ctime: number): FileAttributes => ({ version: someVersionRecord, local: { ctime } });

describe('kept attributes', () => {
  it('are there after a restart: of files with their version, of folders, and of all files in a folder at once', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    before.setFile('/a/x', withMode(0o600));
    before.setFile('/a/y', withMode(0o700));
    before.setFile('/a/b/z', withMode(0o711));
    before.setFile('/top', withMode(0o644));
    before.setFolder('/a', { mtime: 5 });
    await before.close();

    const after = await open(directory);

    expect(await after.ofFile('/a/x')).toEqual(withMode(0o600));
    expect([...(await after.folders())]).toEqual([['/a', { mtime: 5 }]]);
    expect([...(await after.filesIn('/a')).keys()]).toEqual(['x', 'y']);
    expect([...(await after.filesIn('/')).keys()]).toEqual(['top']);
    expect(await after.ofFile('/missing')).toBeUndefined();
  });

  it('read back at once as set, though nobody waits for the disk', async () => {
    const kept = await open(await temporaryDirectory());

    kept.setFile('/x', withMode(1));
    const [one, all] = await Promise.all([kept.ofFile('/x'), kept.filesIn('/')]);
    kept.setFile('/x', undefined);

    expect(one).toEqual(withMode(1));
    expect(all.get('x')).toEqual(withMode(1));
    expect(await kept.ofFile('/x')).toBeUndefined();
  });

  it('that cannot be read count as not set, and do not stop anybody', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    before.setFile('/x', withMode(1));
    await before.close();
    const database = join(directory, 'attributes');
    for (const name of await readdir(database)) await writeFile(join(database, name), 'nonsense');

    const after = await open(directory);

    expect(await after.ofFile('/x')).toBeUndefined();
    after.setFile('/x', withMode(2));
    expect(await after.ofFile('/x')).toEqual(withMode(2));
  });

  it('that cannot be written are in the log, once for all that were to be written together', async () => {
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (message) => warnings.push(message) };
    const kept = await open(await temporaryDirectory(), undefined, log);
    const commit = vi.spyOn(RowDatabase.prototype, 'commit');
    onTestFinished(() => {
      commit.mockRestore();
    });
    commit.mockReturnValue(Promise.reject(new Error('no space')));

    for (const path of ['/x', '/y', '/z']) kept.setFile(path, withMode(1));
    expect(await kept.ofFile('/x')).toBeUndefined();
    commit.mockRestore();
    kept.setFile('/x', withMode(2));

    expect(await kept.ofFile('/x')).toEqual(withMode(2));
    expect(warnings).toEqual(['local attributes could not be written']);
  });

  it('of drafts are there as long as somebody knows the draft', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    for (const id of ['one', 'two']) before.setDraft(id, { mode: 1 });
    await before.onlyDrafts(new Set(['two']));
    await before.close();

    const after = await open(directory);

    expect(await after.ofDraft('one')).toBeUndefined();
    expect(await after.ofDraft('two')).toEqual({ mode: 1 });
  });

  it('set or asked for after the end are no error', async () => {
    const kept = await open(await temporaryDirectory());
    kept.setFile('/x', withMode(1));
    await kept.close();

    kept.setFile('/x', withMode(2));

    expect(await kept.ofFile('/x')).toBeUndefined();
    expect(await kept.filesIn('/')).toEqual(new Map());
  });
});

describe('when there are too many', () => {
  const MOST = 100;
  // As it is while a test puts another in its place.
  const read = Object.getOwnPropertyDescriptor(RowDatabase.prototype, 'range')?.value as RowDatabase['range'];

  it('those of the files that were set longest ago go at the next start, and the others stay', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    for (let age = 0; age < 150; age += 1) before.setFile(`/d/${(age * 77) % 150}`, setAt((age * 77) % 150));
    before.setFolder('/d', { ctime: 0 });
    await before.close();
    const told: unknown[] = [];
    const log: Log = { ...silentLog, info: (_message, fields) => told.push(fields) };

    const after = await open(directory, MOST, log);
    await expect.poll(() => told).toEqual([{ files: 60 }]);

    const left = [...(await after.filesIn('/d')).keys()].map(Number).sort((a, b) => a - b);
    expect(left).toEqual(Array.from({ length: 90 }, (_, index) => index + 60));
    expect((await after.folders()).size).toBe(1);
  });

  it('one that is set anew while those set longest ago go stays, as set last', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    for (let age = 0; age < 150; age += 1) before.setFile(`/${age}`, setAt(age));
    await before.close();
    const told = vi.fn();
    let row = 0;
    let setAnew = (): void => undefined;
    const range = vi.spyOn(RowDatabase.prototype, 'range').mockImplementation(async function* (
      this: RowDatabase,
      ...place
    ) {
      for await (const each of read.apply(this, place)) {
        // Of 150 that are looked at twice, after one at the start: when the first of those to go comes for the second time.
        row += 1;
        if (row === 152) setAnew();
        yield each;
      }
    });
    onTestFinished(() => {
      range.mockRestore();
    });

    const after = await open(directory, MOST, { ...silentLog, info: told });
    setAnew = (): void => {
      after.setFile('/0', setAt(1000));
    };
    await expect.poll(() => told.mock.calls.length).toBe(1);

    expect(await after.ofFile('/0')).toEqual(setAt(1000));
    expect(await after.ofFile('/1')).toBeUndefined();
  });

  it('they go while more are set, too: there are never many more', async () => {
    const kept = await open(await temporaryDirectory(), MOST);

    for (let age = 0; age < 10 * MOST; age += 1) {
      kept.setFile(`/${age}`, setAt(age));
      if (age % 10 === 0) expect((await kept.filesIn('/')).size).toBeLessThan(2 * MOST);
    }

    expect(await kept.ofFile(`/${10 * MOST - 1}`)).toEqual(setAt(10 * MOST - 1));
  });
});

describe('attributes of any files and folders', () => {
  const name = fc.constantFrom('a', 'a0', 'a\u0001', 'ä', 'b');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`);
  const act = fc.record({
    what: fc.constantFrom('file' as const, 'folder' as const),
    path,
    mode: fc.option(fc.nat(), { nil: undefined }),
  });

  it('are found by path, and by the folder that the file is in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 15 }), async (acts) => {
        const kept = await open(await temporaryDirectory());
        const model = { file: new Map<string, number>(), folder: new Map<string, number>() };

        for (const { what, path: at, mode } of acts) {
          if (mode === undefined) model[what].delete(at);
          else model[what].set(at, mode);
          if (what === 'file') kept.setFile(at, mode === undefined ? mode : withMode(mode));
          else kept.setFolder(at, mode === undefined ? mode : { mode });
        }

        for (const [at, mode] of model.file) expect(await kept.ofFile(at)).toEqual(withMode(mode));
        expect(await kept.folders()).toEqual(new Map([...model.folder].map(([at, mode]) => [at, { mode }])));
        const folders = new Set([...model.file.keys()].map((at) => at.slice(0, at.lastIndexOf('/')) || '/'));
        let files = 0;
        for (const folder of folders) files += (await kept.filesIn(folder)).size;
        expect(files).toBe(model.file.size);
        await kept.close();
      }),
      propertySettings(30),
    );
  });
});
