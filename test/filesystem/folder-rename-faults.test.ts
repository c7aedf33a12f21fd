/** SEMANTICS: whatever goes wrong in the rename of a folder, it is done, or all is where it was and the program hears of it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/server/faults.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  names,
  openForTest,
  readFile,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import {
  errnoOfCall,
  LogForTest,
  openToEdit,
  openToRewrite,
  textAt,
  writeAt,
  xattr,
} from '../support/program-acts.ts';
import { bytesUnder, namesBelow } from '../model/service-contents.ts';

const FILES = ['a', 'b', 's/c'];
/** Longer than a folder that is only ours waits to be made. */
const LATER = 40_000;
/** More requests than the rename makes. */
const ENOUGH = 100;

const faults: [string, Fault][] = [
  ['fails', { kind: 'status', status: 503 }],
  ['is refused', { kind: 'status', status: 403 }],
  ['is done, but not answered', { kind: 'lost-answer' }],
];

describe.each(faults)('when a request of the rename of a folder %s', (_what, fault) => {
  it('the folder is whole under one name, and the program knows which [rename/undo]', async () => {
    const seen = new Set<string>();
    for (let skip = 0; skip < ENOUGH; skip += 1) {
      const test = await filled();
      test.faults.add({ skip, fault });

      const code = await test.fs.rename('/d', '/e', false).then(
        () => 'none',
        (error: unknown) => (error as { code: string }).code,
      );

      if (test.faults.left > 0) break;
      const where = `request ${skip}: ${code}`;
      const top = code === 'none' ? 'e' : 'd';
      seen.add(top);
      // What was only not answered may be done yet: the copy would be the only one.
      const copy = code === 'EIO' && fault.kind === 'status' ? await copiesUnder(test, 'e') : [];
      expect(copy.length, where).toBeLessThanOrEqual(1);
      await expectAll(test, top, where);
      expect(await names(test.fs, '/'), where).toEqual(copy.length === 0 ? [top] : ['d', 'e']);
      expect(await names(test.fs, `/${top}`), where).toEqual(['a', 'b', 'empty', 's']);
      for (const file of FILES) {
        expect((await readFile(test.fs, `/${top}/${file}`)).toString()).toBe(`content of ${file}`);
      }
      await test.mounted.close({ patience: 60_000 });
    }
    expect([...seen]).toContain('d');
  });
});

describe('when the rename of a folder fails for good in its middle', () => {
  it('open handles are back under the old name, and go on', async () => {
    const { fs, faults, stored } = await filled();
    const handle = await openToEdit(fs, '/d/a');
    faults.add({ operation: 'putObject', key: 'e/s/c', fault: { kind: 'status', status: 402 } });

    await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EDQUOT' });

    expect(handle.path).toBe('/d/a');
    expect(await textAt(fs, handle)).toBe('content of a');
    await fs.write(handle, Buffer.from('C'), 0);
    await fs.flush(handle);
    await fs.release(handle);
    expect((await stored('d/a')).toString()).toBe('Content of a');
    expect(await names(fs, '/')).toEqual(['d']);
  });

  it('and moving back fails, too: each file is whole under one name, and the log has the keys [rename/undo]', async () => {
    const log = new LogForTest();
    const { fs, faults, direct, bucket } = await filled(log);
    faults.add({ operation: 'putObject', key: 'e/s/c', fault: { kind: 'status', status: 402 } });
    faults.add({ operation: 'putObject', key: 'd/b', fault: { kind: 'status', status: 402 } });

    await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EDQUOT' });

    expect([...(await namesBelow(direct, bucket, '')).files].sort()).toEqual(['d/a', 'd/s/c', 'e/b']);
    expect((await readFile(fs, '/e/b')).toString()).toBe('content of b');
    expect(log.about('a file stays where').map(({ fields }) => fields['key'])).toEqual(['e/b']);
    expect(await names(fs, '/')).toEqual(['d', 'e']);
  });

  it('and its old folders cannot be made again, what is not stored is found in them all the same, and they are made later [rename/undo] [folders/stay]', async () => {
    const log = new LogForTest();
    const { fs, faults, direct, bucket, clock } = await filled(log);
    const handle = await openToRewrite(fs, '/d/s/fresh');
    await writeAt(fs, handle, 'fresh');
    faults.add({ operation: 'deleteObject', key: 'd/', fault: { kind: 'status', status: 402 } });
    faults.add({
      operation: 'createFolder',
      key: /^d/,
      times: Infinity,
      fault: { kind: 'status', status: 402 },
    });

    await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EDQUOT' });

    expect(handle.path).toBe('/d/s/fresh');
    expect(await names(fs, '/d/s')).toContain('fresh');
    expect(await names(fs, '/d')).toEqual(['a', 'b', 'empty', 's']);
    expect((await readFile(fs, '/d/s/fresh')).toString()).toBe('fresh');
    faults.clear();
    clock.advance(LATER);
    await expect
      .poll(async () => [...(await namesBelow(direct, bucket, '')).folders].sort())
      .toEqual(['d/', 'd/empty/', 'd/s/']);
    await fs.release(handle);
  });

  it('and its old folder had a file of its name, it is there again, with what is not stored yet [rename/undo]', async () => {
    const { fs, faults, store, direct, bucket, foreignWrite } = await openForTest();
    await foreignWrite('d/x', 'file');
    await direct.createFolder(bucket, 'd/x');
    expect(await names(fs, '/d')).toEqual(['x']);
    store.changeAccount({ gracePeriod: true });
    await expect(writeFile(fs, '/d/x/draft', 'waits')).rejects.toMatchObject({ code: 'EDQUOT' });
    store.changeAccount({ gracePeriod: false });
    faults.add({
      operation: 'deleteObject',
      key: 'd/x/',
      times: Infinity,
      fault: { kind: 'lost-answer' },
    });

    expect(await errnoOfCall(fs.rename('/d/x', '/w', false))).not.toBe('none');

    faults.clear();
    expect((await fs.getAttributes('/d/x')).kind).toBe('folder');
    expect(await names(fs, '/d/x')).toEqual(['draft']);
    expect((await readFile(fs, '/d/x/draft')).toString()).toBe('waits');
    expect(await xattr(fs, '/d', 'user.pailfs.hidden')).toBe('1');
  });

  it('and the new folder was never made, the log does not say that it stays', async () => {
    const log = new LogForTest();
    const { fs, faults } = await filled(log);
    faults.add({ operation: 'createFolder', key: 'e', fault: { kind: 'status', status: 402 } });

    await expect(fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EDQUOT' });

    expect(await names(fs, '/')).toEqual(['d']);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('and somebody else has taken an old name meanwhile, that is theirs, and ours stays under the new one [rename/undo]', async () => {
    const log = new LogForTest();
    const takeName = async (): Promise<void> => {
      await test.foreignWrite('d/a', 'theirs');
    };
    const between = (service: ObjectService): ObjectService =>
      new InterceptedService(service, async ({ operation, key }, proceed) => {
        if (operation !== 'deleteObject' || key !== 'd/') return proceed();
        await takeName();
        throw new Refusal('denied', 'not this one', { operation, status: 403 });
      });
    const test = await filled(log, { between });

    await expect(test.fs.rename('/d', '/e', false)).rejects.toMatchObject({ code: 'EACCES' });

    const { files } = await namesBelow(test.direct, test.bucket, '');
    expect([...files].sort()).toEqual(['d/a', 'd/b', 'd/s/c', 'e/a']);
    expect((await test.stored('d/a')).toString()).toBe('theirs');
    expect((await test.stored('e/a')).toString()).toBe('content of a');
    expect(log.about('a file stays where').map(({ fields }) => fields['key'])).toEqual(['e/a']);
  });
});

it('what could not be stored before, and goes up with its folder, leaves nothing on the local disk [write/passing-fault]', async () => {
  const scene = await openForTest();
  const { fs, faults, stateDirectory } = scene;
  await fs.mkdir('/d', 0o755);
  faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(writeFile(fs, '/d/f', 'waits'))).toBe('EIO');

  await fs.rename('/d', '/e', false);

  expect((await scene.stored('e/f')).toString()).toBe('waits');
  expect(await readdir(join(stateDirectory, 'drafts'))).toEqual([]);
});

async function filled(log = new LogForTest(), options: TestOptions = {}): Promise<FileSystemForTest> {
  const test = await openForTest({ ...options, log });
  for (const file of FILES) await test.foreignWrite(`d/${file}`, `content of ${file}`);
  await test.direct.setVisibility(test.bucket, 'd/b', 'public');
  await test.direct.createFolder(test.bucket, 'd/empty');
  return test;
}

async function copiesUnder(
  { direct, bucket }: FileSystemForTest,
  folder: string,
): Promise<readonly string[]> {
  return [...(await namesBelow(direct, bucket, folder)).files];
}

async function expectAll({ direct, bucket }: FileSystemForTest, top: string, where: string): Promise<void> {
  const { files, folders } = await namesBelow(direct, bucket, '');
  const inTop = (path: string): boolean => path.startsWith(`${top}/`);
  expect([...files].filter(inTop).sort(), where).toEqual(FILES.map((file) => `${top}/${file}`));
  expect([...folders].filter(inTop).sort(), where).toEqual([`${top}/`, `${top}/empty/`, `${top}/s/`]);
  for (const file of FILES) {
    const content = (await bytesUnder(direct, bucket, `${top}/${file}`))?.toString();
    expect(content, where).toBe(`content of ${file}`);
  }
  expect((await direct.getVisibility(bucket, `${top}/b`)).visibility, where).toBe('public');
}
