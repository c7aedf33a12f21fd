import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { KeptAttributes, type FileAttributes } from '../../../src/content/journal/kept-attributes.ts';
import { someVersionRecord } from '../../support/journal-records.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { propertySettings } from '../../support/property-settings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function open(directory: string): Promise<KeptAttributes> {
  const kept = await KeptAttributes.open({ directory, clock: new ManualClock(), log: silentLog });
  onTestFinished(() => kept.close());
  return kept;
}

const withMode = (mode: number): FileAttributes => ({ version: someVersionRecord, local: { mode } });

describe('kept attributes', () => {
  it('are there after a restart: of files with their version, of folders, and of all files in a folder at once', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    await before.setFile('/a/x', withMode(0o600));
    await before.setFile('/a/y', withMode(0o700));
    await before.setFile('/a/b/z', withMode(0o711));
    await before.setFile('/top', withMode(0o644));
    await before.setFolder('/a', { mtime: 5 });
    await before.close();

    const after = await open(directory);

    expect(await after.ofFile('/a/x')).toEqual(withMode(0o600));
    expect(await after.ofFolder('/a')).toEqual({ mtime: 5 });
    expect([...(await after.filesIn('/a')).keys()]).toEqual(['x', 'y']);
    expect([...(await after.filesIn('/')).keys()]).toEqual(['top']);
    expect(await after.ofFile('/missing')).toBeUndefined();
  });

  it('that cannot be read count as not set, and do not stop anybody', async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory);
    await before.setFile('/x', withMode(1));
    await before.close();
    const database = join(directory, 'attributes');
    for (const name of await readdir(database)) await writeFile(join(database, name), 'nonsense');

    const after = await open(directory);

    expect(await after.ofFile('/x')).toBeUndefined();
    await after.setFile('/x', withMode(2));
    expect(await after.ofFile('/x')).toEqual(withMode(2));
  });
});

interface MoveModel {
  readonly to: string;
  readonly withItself: boolean;
}

describe('attributes of any files and folders', () => {
  const name = fc.constantFrom('a', 'a0', 'a\u0001', 'ä', 'b');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`);
  const act = fc.oneof(
    fc.record({ what: fc.constant('file' as const), path, mode: fc.option(fc.nat(), { nil: undefined }) }),
    fc.record({ what: fc.constant('folder' as const), path, mode: fc.option(fc.nat(), { nil: undefined }) }),
    fc.record({ what: fc.constant('move' as const), path, to: name.map((last) => `/moved-${last}`) }),
  );

  it('follow their folders when those are renamed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 15 }), async (acts) => {
        const kept = await open(await temporaryDirectory());
        const model = { file: new Map<string, number>(), folder: new Map<string, number>() };

        for (const one of acts) {
          if (one.what === 'move') {
            await kept.moveFolder(one.path, one.to);
            moveIn(model.file, one.path, { to: one.to, withItself: false });
            moveIn(model.folder, one.path, { to: one.to, withItself: true });
            continue;
          }
          if (one.mode === undefined) model[one.what].delete(one.path);
          else model[one.what].set(one.path, one.mode);
          const { path, mode } = one;
          if (one.what === 'file') await kept.setFile(path, mode === undefined ? mode : withMode(mode));
          else await kept.setFolder(path, mode === undefined ? mode : { mode });
        }

        for (const [at, mode] of model.file) expect(await kept.ofFile(at)).toEqual(withMode(mode));
        for (const [at, mode] of model.folder) expect(await kept.ofFolder(at)).toEqual({ mode });
        const folders = new Set([...model.file.keys()].map((at) => at.slice(0, at.lastIndexOf('/')) || '/'));
        let files = 0;
        for (const folder of folders) files += (await kept.filesIn(folder)).size;
        expect(files).toBe(model.file.size);
        await kept.close();
      }),
      propertySettings(30),
    );
  });

  /** A file of the folder's own name is another thing, and stays. */
  function moveIn(model: Map<string, number>, from: string, { to, withItself }: MoveModel): void {
    const moved = [...model].filter(([at]) => at.startsWith(`${from}/`) || (withItself && at === from));
    for (const [at] of moved) model.delete(at);
    for (const [at, mode] of moved) model.set(to + at.slice(from.length), mode);
  }
});
