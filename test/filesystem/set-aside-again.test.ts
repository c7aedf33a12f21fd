/** SEMANTICS: a program that tries every night to store what the service refuses for good leaves it here once, not once a night. */
import { readdir, writeFile as writeLocal } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LocalFile } from '../../src/content/local-files.ts';
import type { UnsentChange } from '../../src/filesystem/unsent/unsent-change.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { draftBytes, draftText } from '../support/draft-bytes.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import {
  openForTest,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { errnoOfCall, LogForTest, openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** More than is compared at once. */
const LARGE = new Uint8Array(600_000).fill(7);

async function refusing(options: TestOptions = {}): Promise<FileSystemForTest> {
  const scene = await openForTest(options);
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
  return scene;
}

const listed = (scene: FileSystemForTest): Promise<readonly UnsentChange[]> => scene.mounted.unsent.list();

const kept = (scene: FileSystemForTest): Promise<string[]> => readdir(join(scene.stateDirectory, 'drafts'));

/** The texts that are set aside. */
async function texts(scene: FileSystemForTest): Promise<string[]> {
  const changes = await listed(scene);
  return (await Promise.all(changes.map(({ file }) => draftText(String(file))))).sort();
}

it.each([[new TextEncoder().encode('backup')], [LARGE], [new Uint8Array(0)]])(
  'the same bytes again are kept once, the newest of them [write/refused-again]',
  async (bytes) => {
    const scene = await refusing();
    const ids = new Set<string>();

    for (let night = 0; night < 3; night += 1) {
      expect(await errnoOfCall(writeFile(scene.fs, '/f', bytes))).toBe('EFBIG');
      const [change, ...others] = await listed(scene);
      expect(others).toEqual([]);
      expect(change).toMatchObject({ path: '/f', state: 'set aside', isWhole: true });
      expect((await draftBytes(String(change?.file))).equals(bytes)).toBe(true);
      expect(await kept(scene)).toEqual([change?.id]);
      ids.add(String(change?.id));
    }

    expect(ids.size).toBe(3);
  },
);

it('also with --write-back [write/refused-again]', async () => {
  const scene = await refusing({ settings: { writeBack: true } });
  const ids = new Set<string>();

  for (let night = 0; night < 3; night += 1) {
    await writeFile(scene.fs, '/f', 'backup');
    await expect
      .poll(async () => {
        scene.clock.advance(1000);
        return (await listed(scene)).map(({ id, state }) => state === 'set aside' && !ids.has(id));
      })
      .toEqual([true]);
    ids.add(String((await listed(scene))[0]?.id));
  }

  expect(await kept(scene)).toHaveLength(1);
});

it('also after a remount [write/refused-again]', async () => {
  const scene = await refusing();
  await errnoOfCall(writeFile(scene.fs, '/f', 'backup'));
  const disk = await diskNow(scene);
  const next = await mountOver(disk, scene);

  await errnoOfCall(writeFile(next.operations, '/f', 'backup'));

  expect(await next.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
  expect(await readdir(join(disk.directory, 'drafts'))).toHaveLength(1);
  const third = await mountOver(await diskNow({ stateDirectory: disk.directory }), scene);
  expect(await third.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
});

it('other bytes, and the same under another name, stay [write/refused-again]', async () => {
  const scene = await refusing();

  for (const [path, text] of [
    ['/f', 'one'],
    ['/f', 'two'],
    ['/g', 'one'],
    ['/f', 'longer'],
  ] as const)
    await errnoOfCall(writeFile(scene.fs, path, text));

  expect(await texts(scene)).toEqual(['longer', 'one', 'one', 'two']);
  // The last byte of the last piece.
  await errnoOfCall(writeFile(scene.fs, '/h', LARGE));
  await errnoOfCall(writeFile(scene.fs, '/h', Uint8Array.from(LARGE).fill(8, LARGE.length - 1)));
  expect(await kept(scene)).toHaveLength(6);
});

it.each([
  ['user.pailfs.visibility', 'public'],
  ['user.mime_type', 'text/x-other'],
])('the same bytes whose %s was to be another stay [write/refused-again]', async (name, value) => {
  const scene = await refusing();
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'one');
  await setXattr(scene.fs, '/f', name, value);

  expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EFBIG');
  await scene.fs.release(handle);

  expect(await texts(scene)).toEqual(['one', 'one']);
});

it('what the local disk has changed since stays, for who looks what is left of it [write/refused-again]', async () => {
  const scene = await refusing();
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  const [before] = await listed(scene);
  const bytes = await draftBytes(String(before?.file));
  await writeLocal(String(before?.file), Buffer.concat([Buffer.alloc(65_536, 1), bytes.fill('x')]), {
    flag: 'r+',
  });

  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));

  expect(await kept(scene)).toHaveLength(2);
});

/** A disk on which `meanwhile` happens before the first read of what was set aside before. */
class SlowDisk extends FailingDisk {
  meanwhile: (() => Promise<void>) | null = null;
  opened: string[] = [];

  override async open(path: string): Promise<LocalFile> {
    this.opened.push(path);
    const { meanwhile } = this;
    this.meanwhile = null;
    await meanwhile?.();
    return super.open(path);
  }
}

it.each([
  ['discard', []],
  ['retry', ['one']],
] as const)(
  'what a person asks to %s while they are compared is theirs, and the newest stays [write/refused-again]',
  async (act, stored) => {
    const localFiles = new SlowDisk();
    const scene = await refusing({ localFiles });
    await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
    const [earlier] = await listed(scene);
    let asked: Promise<unknown> = Promise.resolve();
    localFiles.meanwhile = async () => {
      scene.faults.clear();
      localFiles.opened = [];
      asked = scene.mounted.unsent[act]([String(earlier?.id)]);
      if (act === 'discard') await asked;
      // Listed, looked at, and taken: it waits for the name then.
      else
        await expect.poll(() => localFiles.opened.filter((path) => path === earlier?.file)).toHaveLength(3);
    };

    await errnoOfCall(writeFile(scene.fs, '/f', 'one'));

    expect(await asked).toMatchObject([{ isDone: true }]);
    expect(Object.values(await textsOf(scene))).toEqual(stored);
    expect(await texts(scene)).toEqual(['one']);
    expect(await kept(scene)).toHaveLength(1);
  },
);

it('a disk that cannot be read keeps both, and the log says so [write/refused-again]', async () => {
  const localFiles = new FailingDisk();
  const log = new LogForTest();
  const scene = await refusing({ localFiles, log });
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  localFiles.failures.set('open', 'EIO');

  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'one'))).toBe('EFBIG');

  expect(await kept(scene)).toHaveLength(2);
  const [line, ...others] = log.lines.filter(({ message }) => message.includes('set aside before'));
  expect(others).toEqual([]);
  expect(line).toMatchObject({ level: 'warn', fields: { path: '/f' } });
  expect(String(line?.fields['cause'])).toContain('EIO');
});
