/**
 * SEMANTICS: with write-back, a rename or an unlink of files that wait for their upload, cut by the end of the process at every
 * request, is wholly done or not at all.
 */
import { expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { bytesUnder, namesBelow } from '../model/service-contents.ts';
import { openCutProcess, type CutProcess } from '../support/cut-process.ts';
import { drained } from '../support/drained.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { writeFile } from '../support/open-for-test.ts';
import { edit } from '../support/program-acts.ts';

/** More requests than any of these changes makes. */
const ENOUGH = 50;

interface Change {
  /** What waits when it begins, of the public file `from` and the private file `to`. */
  readonly waits: readonly ('from' | 'to')[];
  readonly how: 'written anew' | 'edited';
}

const changes: Change[] = (['written anew', 'edited'] as const).flatMap((how) => [
  { waits: ['from'], how },
  { waits: ['to'], how },
  { waits: ['from', 'to'], how },
]);

it.each(changes)(
  'a file renamed over another while $waits wait, $how, is under one of its names [write-back/crash] [rename/crash]',
  async ({ waits, how }) => {
    const seen = new Set<string>();
    for (const cut of cuts()) {
      const process = await withFiles();
      for (const name of waits) await change(process.mounted.operations, `/${name}`, how);
      process.begin(cut);
      await process.mounted.operations.rename('/from', '/to', false).catch(() => undefined);
      if (!process.isCut()) break;

      const state = await stateAfter(process);

      const where = `after the end at request ${cut.at}, done: ${cut.isDone}`;
      const text = (name: 'from' | 'to'): string => (waits.includes(name) ? changed(name, how) : name);
      const done = { to: `public ${text('from')}` };
      const before = { from: `public ${text('from')}`, to: `private ${text('to')}` };
      expect([before, done], where).toContainEqual(state);
      seen.add(Object.keys(state).join());
    }
    expect([...seen].sort()).toEqual(['from,to', 'to']);
  },
  120_000,
);

it('a file that waits and is unlinked is there as it was, or gone [write-back/crash]', async () => {
  for (const cut of cuts()) {
    const process = await withFiles();
    await change(process.mounted.operations, '/from', 'edited');
    process.begin(cut);
    await process.mounted.operations.unlink('/from');
    await drained(process.mounted).catch(() => undefined);
    if (!process.isCut()) break;

    expect(await stateAfter(process)).toEqual({ to: 'private to' });
  }
});

/** The public file `from` and the private file `to`; each holds its name. */
async function withFiles(): Promise<CutProcess> {
  const process = await openCutProcess({}, { writeBack: true });
  const { direct, bucket } = process;
  for (const name of ['from', 'to']) await direct.putObject(bucket, name, uploadOf(name));
  await direct.setVisibility(bucket, 'from', 'public');
  return process;
}

async function change(fs: FileSystemOperations, path: string, how: Change['how']): Promise<void> {
  if (how === 'edited') await edit(fs, path, 'X', 0);
  else await writeFile(fs, path, `new ${path.slice(1)}`);
}

function changed(name: string, how: Change['how']): string {
  return how === 'edited' ? `X${name.slice(1)}` : `new ${name}`;
}

/** What the service has, and how visible, when the next process has done all that it found; nothing may be set aside. */
async function stateAfter(process: CutProcess): Promise<Record<string, string>> {
  const { direct, bucket } = process;
  const next = await process.next();
  // A change of either name waits for what is under way there.
  for (const name of ['from', 'to'])
    await next.operations.unlink(`/${name}/no such file`).catch(() => undefined);
  await drained(next);
  expect(next.setAside).toEqual([]);
  expect(await next.unsent.list()).toEqual([]);
  const { files } = await namesBelow(direct, bucket, '');
  const state: Record<string, string> = {};
  for (const name of [...files].sort()) {
    const { visibility } = await direct.getVisibility(bucket, name);
    state[name] = `${visibility} ${(await bytesUnder(direct, bucket, name))?.toString() ?? ''}`;
  }
  await next.close({ patience: 60_000 });
  return state;
}

function* cuts(): Generator<{ readonly at: number; readonly isDone: boolean }> {
  for (let at = 0; at < ENOUGH; at += 1) for (const isDone of [false, true]) yield { at, isDone };
}
