/** SEMANTICS: a program that tries every night to store what the service refuses for good leaves it here once, not once a night. */
import { readdir, writeFile as writeLocal } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { put } from '../../src/content/journal/journal.ts';
import type { DraftRecord } from '../../src/content/journal/records.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { damageDrafts, draftBytes } from '../support/draft-bytes.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { someVersionRecord } from '../support/journal-records.ts';
import { openJournal } from '../support/open-journal.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, LogForTest, openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { kept, listed, refusing, SlowDisk, texts, told } from '../support/refused-for-good.ts';

/** More than is compared at once. */
const LARGE = new Uint8Array(600_000).fill(7);

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
  expect([third.setAside.length, third.lost]).toEqual([1, []]);
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

it('other bytes, as their MD5 tells, are not read for it again and again [write/refused-again]', async () => {
  const localFiles = new SlowDisk();
  const scene = await refusing({ localFiles });
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  localFiles.opened = [];

  await errnoOfCall(writeFile(scene.fs, '/f', 'two'));

  expect(localFiles.opened).toEqual([]);
});

it('half a file of that name stays, and keeps nothing else from going [write/refused-again]', async () => {
  const first = await refusing();
  await writeAt(first.fs, await openToRewrite(first.fs, '/f'), 'half');
  const disk = await diskNow(first);
  const { operations, unsent } = await mountOver(disk, first);

  for (let night = 0; night < 2; night += 1)
    expect(await errnoOfCall(writeFile(operations, '/f', 'whole'))).toBe('EFBIG');

  expect((await unsent.list()).map(({ state, isWhole }) => [state, isWhole])).toEqual([
    ['set aside', false],
    ['set aside', true],
  ]);
});

it('one whose bytes the local disk has changed, but not what it says of itself, stays unmentioned [write/refused-again]', async () => {
  const log = new LogForTest();
  const scene = await refusing({ log });
  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));
  await damageDrafts({ directory: scene.stateDirectory });

  await errnoOfCall(writeFile(scene.fs, '/f', 'one'));

  expect(await texts(scene)).toEqual(['nne', 'one']);
  expect(told(log)).toEqual([]);
});

it.each<Partial<DraftRecord>>([
  { visibilityBefore: 'public' },
  { unconfirmed: [someVersionRecord] },
  { leftCopy: someVersionRecord },
])(
  'one whose record alone tells what it did on the service stays: %j [write/refused-again]',
  async (left) => {
    const first = await refusing();
    await errnoOfCall(writeFile(first.fs, '/f', 'one'));
    const disk = await diskNow(first);
    const { journal } = await openJournal(disk.directory);
    await journal.commit(journal.contents.drafts.map((record) => put('draft', { ...record, ...left })));
    await journal.close();
    const { operations } = await mountOver(disk, first);

    expect(await errnoOfCall(writeFile(operations, '/f', 'one'))).toBe('EFBIG');

    expect(await readdir(join(disk.directory, 'drafts'))).toHaveLength(2);
  },
);

it('what may have arrived after all stays: only its record tells whose that is [write/refused-again]', async () => {
  const scene = await openForTest();
  scene.store.lies.showUploadsLate(1, 1000);
  scene.faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'one');
  expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EIO');
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
  expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EFBIG');
  await scene.fs.release(handle);

  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'one'))).toBe('EFBIG');

  expect(await texts(scene)).toEqual(['one', 'one']);
});
