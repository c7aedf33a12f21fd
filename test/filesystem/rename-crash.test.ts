/** SEMANTICS: a rename that the end of the process cuts in two is finished by the next mount; no file is ever without a whole copy. */
import { describe, expect, it } from 'vitest';
import type { Behaviours } from '../../src/server/behaviours.ts';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { openCutProcess, type CutProcess } from '../support/cut-process.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { closing, names, readFile } from '../support/open-for-test.ts';
import { edit, LogForTest, writeAt } from '../support/program-acts.ts';
import { bytesUnder, namesBelow } from '../model/service-contents.ts';

const FILES = ['a', 'b', 's/c', 's/t/d'];
/** More requests than any of these renames makes. */
const ENOUGH = 200;

const services: Partial<Behaviours>[] = [
  { folders: 'implicit', etag: 'md5' },
  { folders: 'lasting', etag: 'random' },
];

describe.each(services)('with folders $folders and ETags $etag', (behaviours) => {
  it('a folder is wholly under one of its names, wherever the process ends [rename/crash]', async () => {
    const seen = new Set<string>();
    for (const cut of cuts()) {
      const process = await openCutProcess({ behaviours });
      await fill(process, 'd/');
      await process.mounted.operations.mkdir('/d/empty', 0o755);
      process.begin(cut);
      await process.mounted.operations.rename('/d', '/e', false).catch(() => undefined);
      if (!process.isCut()) break;

      const next = await process.next();
      await untilFinished(next.operations, '/d', '/e');

      const top = await names(next.operations, '/');
      seen.add(top.join());
      const where = `after the end at request ${cut.at}, done: ${cut.isDone}`;
      expect(['d', 'e'], where).toContain(top.join());
      await expectAll(process, `${top.join()}/`, where);
      const folders = [...(await namesBelow(process.direct, process.bucket, '')).folders].sort();
      expect(folders, where).toEqual(['', 'empty/', 's/', 's/t/'].map((folder) => `${top.join()}/${folder}`));
      await next.close({ patience: 60_000 });
    }
    expect([...seen].sort()).toEqual(['d', 'e']);
  });

  it('a file has one of its names, wherever the process ends [rename/crash]', async () => {
    const seen = new Set<string>();
    for (const cut of cuts()) {
      const process = await openCutProcess({ behaviours });
      await process.direct.putObject(process.bucket, 'from', uploadOf('content'));
      await process.direct.setVisibility(process.bucket, 'from', 'public');
      process.begin(cut);
      await process.mounted.operations.rename('/from', '/to', false).catch(() => undefined);
      if (!process.isCut()) break;

      const next = await process.next();
      await untilFinished(next.operations, '/from', '/to');

      const where = `after the end at request ${cut.at}, done: ${cut.isDone}`;
      const { files } = await namesBelow(process.direct, process.bucket, '');
      const [name = 'nothing'] = files;
      expect(files.size, where).toBe(1);
      expect((await readFile(next.operations, `/${name}`)).toString(), where).toBe('content');
      expect((await process.direct.getVisibility(process.bucket, name)).visibility, where).toBe('public');
      seen.add(name);
      await next.close({ patience: 60_000 });
    }
    expect([...seen].sort()).toEqual(['from', 'to']);
  });
});

it.each([
  { isDurable: true, left: ['.f.Ab3dE9 and f', 'f'] },
  { isDurable: false, left: ['f'] },
])(
  'a transfer renamed over a public file is under one name, and the link stays, durable: $isDurable [rename/crash]',
  async ({ isDurable, left }) => {
    const seen = new Set<string>();
    for (const cut of cuts()) {
      const process = await openCutProcess();
      await process.direct.putObject(process.bucket, 'f', uploadOf('old'));
      await process.direct.setVisibility(process.bucket, 'f', 'public');
      const { operations } = process.mounted;
      await transferred(operations, '/.f.Ab3dE9', isDurable);
      process.begin(cut);
      await operations.rename('/.f.Ab3dE9', '/f', false).catch(() => undefined);
      if (!process.isCut()) break;

      const next = await process.next();
      await untilFinished(next.operations, '/.f.Ab3dE9', '/f');
      await next.close({ patience: 60_000 });

      const where = `after the end at request ${cut.at}, done: ${cut.isDone}`;
      const names = [...(await namesBelow(process.direct, process.bucket, '')).files].sort();
      const text = (await bytesUnder(process.direct, process.bucket, 'f'))?.toString();
      expect(text === 'old' || text === 'new', where).toBe(true);
      if (isDurable) expect(names, where).toHaveLength(text === 'old' ? 2 : 1);
      expect((await process.direct.getVisibility(process.bucket, 'f')).visibility, where).toBe('public');
      seen.add(names.join(' and '));
    }
    expect([...seen].sort()).toEqual(left);
  },
  120_000,
);

it('somebody else’s file under either name survives the end of a rename that a crash had cut [rename/crash]', async () => {
  const log = new LogForTest();
  const process = await openCutProcess();
  await fill(process, 'd/');
  const { direct, bucket, mounted } = process;
  // After four listings and four folders: with no file moved yet.
  process.begin({ at: 8, isDone: false });
  await mounted.operations.rename('/d', '/e', false).catch(() => undefined);
  await direct.putObject(bucket, 'd/a', uploadOf('theirs, under the old name'));
  await direct.putObject(bucket, 'e/b', uploadOf('theirs, under the new name'));

  const next = await process.next(log);
  await untilFinished(next.operations, '/d', '/e');

  const held = await namesBelow(direct, bucket, '');
  expect([...held.files].sort()).toEqual(['d/a', 'd/b', 'e/b', 'e/s/c', 'e/s/t/d']);
  expect((await readFile(next.operations, '/d/a')).toString()).toBe('theirs, under the old name');
  expect((await readFile(next.operations, '/e/b')).toString()).toBe('theirs, under the new name');
  expect((await readFile(next.operations, '/d/b')).toString()).toBe('content of b');
  expect(log.about('stays under its old name').map(({ fields }) => fields['from'])).toEqual(
    expect.arrayContaining(['d/a', 'd/b']),
  );
});

it('a file renamed over another has its old name without a word when the process ends before its PUT [rename/crash]', async () => {
  const log = new LogForTest();
  const process = await openCutProcess();
  const { direct, bucket, mounted } = process;
  await direct.putObject(bucket, 'from', uploadOf('new'));
  await direct.putObject(bucket, 'to', uploadOf('old'));
  await names(mounted.operations, '/');
  // After the bytes and the visibility of the one.
  process.begin({ at: 2, isDone: false });
  await mounted.operations.rename('/from', '/to', false).catch(() => undefined);
  expect(process.isCut()).toBe(true);

  const next = await process.next(log);
  await untilFinished(next.operations, '/from', '/to');

  expect((await readFile(next.operations, '/from')).toString()).toBe('new');
  expect((await readFile(next.operations, '/to')).toString()).toBe('old');
  expect(log.about('a rename that was cut')).toHaveLength(1);
  expect(log.about('stays under its old name')).toEqual([]);
});

it('a rename that cannot be finished yet is tried again, and by the next mount', async () => {
  const process = await openCutProcess();
  await fill(process, 'd/');
  process.begin({ at: 20, isDone: true });
  await process.mounted.operations.rename('/d', '/e', false).catch(() => undefined);

  const idle = await process.next();
  await idle.close({ patience: 60_000 });
  const next = await process.next();
  await untilFinished(next.operations, '/d', '/e');

  expect(await names(next.operations, '/')).toEqual(['e']);
  await expectAll(process, 'e/', 'at the end');
});

it('a folder goes under its old name, also when the service has it no more and an edit in it had waited [rename/crash]', async () => {
  const tops = new Set<string>();
  for (const cut of cuts()) {
    const process = await openCutProcess({}, { writeBack: true });
    const { direct, bucket, mounted } = process;
    await direct.putObject(bucket, 'd/s/f', uploadOf('before'));
    await edit(mounted.operations, '/d/s/f', 'BE', 0);
    process.begin(cut);
    await mounted.operations.rename('/d', '/e', false).catch(() => undefined);
    if (!process.isCut()) break;

    const next = await process.next();
    await untilFinished(next.operations, '/d', '/e');

    const where = `after the end at request ${cut.at}, done: ${cut.isDone}`;
    const [top = '', ...others] = await names(next.operations, '/');
    expect(others, where).toEqual([]);
    expect((await readFile(next.operations, `/${top}/s/f`)).toString(), where).toBe('BEfore');
    await next.close({ patience: 60_000 });
    const { files, folders } = await namesBelow(direct, bucket, '');
    expect([...files, ...[...folders].sort()], where).toEqual([`${top}/s/f`, `${top}/`, `${top}/s/`]);
    tops.add(top);
  }
  expect([...tops].sort()).toEqual(['d', 'e']);
});

function* cuts(): Generator<{ readonly at: number; readonly isDone: boolean }> {
  for (let at = 0; at < ENOUGH; at += 1) for (const isDone of [false, true]) yield { at, isDone };
}

async function fill({ direct, bucket }: CutProcess, folder: string): Promise<void> {
  for (const file of FILES) await direct.putObject(bucket, folder + file, uploadOf(`content of ${file}`));
  await direct.setVisibility(bucket, `${folder}b`, 'public');
}

/** A change of either name waits for what is under way there. */
async function untilFinished(fs: FileSystemOperations, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    await fs.unlink(`${path}/no such file`).catch(() => undefined);
  }
}

async function expectAll({ direct, bucket }: CutProcess, folder: string, where: string): Promise<void> {
  const { files } = await namesBelow(direct, bucket, '');
  expect([...files].sort(), where).toEqual(FILES.map((file) => folder + file));
  for (const file of FILES) {
    expect((await bytesUnder(direct, bucket, folder + file))?.toString(), where).toBe(`content of ${file}`);
  }
  expect((await direct.getVisibility(bucket, `${folder}b`)).visibility, where).toBe('public');
}

/** A file as rsync makes it, closed. */
async function transferred(fs: FileSystemOperations, path: string, isDurable: boolean): Promise<void> {
  const handle = await fs.create(path, {
    read: false,
    write: true,
    truncate: false,
    exclusive: true,
    mode: 0o600,
  });
  await closing(fs, handle, async () => {
    await writeAt(fs, handle, 'new');
    if (isDurable) await fs.fsync(handle);
  });
}
