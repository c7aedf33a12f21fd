/** What does a person see of `pailfs uploads` whose mounts of one bucket were killed, when a part of what they left is damaged or half taken over? */
import { link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { put } from '../../src/content/journal/journal.ts';
import type { RenameStepRecord } from '../../src/content/journal/records.ts';
import { RowDatabase } from '../../src/content/journal/row-database.ts';
import { rowText } from '../../src/content/journal/row-text.ts';
import { uploadOf } from '../support/embedded-service.ts';
import {
  deletionOf,
  draftFactsOf,
  draftRecordOf,
  renameOf,
  renameStepOf,
  someVersionRecord,
} from '../support/journal-records.ts';
import { leaveAnother, leaveBehind, leaveDraft, leaveRecords } from '../support/left-behind.ts';
import { openOwnHome, ownerAt, runHere, type OwnHome } from '../support/run-here.ts';

interface Scene extends OwnHome {
  /** Has the file `kept`, which waits. */
  readonly directory: string;
  readonly storedKeys: () => Promise<readonly string[]>;
}

async function arrange(): Promise<Scene> {
  const own = await openOwnHome();
  const { home, server } = own;
  const directory = await leaveBehind(join(home, 'state'), ownerAt(server), 'kept');
  const storedKeys = async (): Promise<readonly string[]> => {
    const { objects, folders } = await server.direct.listObjects(server.bucket, { folder: '' });
    return [...objects.map(({ key }) => key), ...folders].filter((key) => key !== 'f');
  };
  return { ...own, directory, storedKeys };
}

/** What cannot be looked into, whoever looks. */
async function makeUnreadable(directory: string): Promise<string> {
  const drafts = join(directory, 'drafts');
  await rm(drafts, { recursive: true, force: true });
  await writeFile(drafts, '');
  return `pailfs: a mount may have left bytes in ${directory}, which cannot be looked into (${drafts}: not a directory): see whose it is, and ask as that user\n`;
}

async function writeAsLaterPailfs(directory: string): Promise<void> {
  const rows = await RowDatabase.open(join(directory, 'journal'));
  await rows.commit(
    [{ type: 'put', key: 'head', value: rowText('head', { format: 99, id: 'later' }) }],
    'synced',
  );
  await rows.close();
}

describe('where something cannot be looked into', () => {
  it.each([
    ['retry', []],
    ['export', ['out']],
    ['discard', ['--all', '--yes']],
  ])('%s of everything ends with 1, though there is nothing else', async (action, words) => {
    const { directory, home } = await arrange();
    const line = await makeUnreadable(directory);

    const told = await runHere([
      'uploads',
      action,
      ...words.map((word) => word.replace('out', join(home, 'out'))),
    ]);

    expect(told).toEqual({
      code: 1,
      stdout: '',
      stderr: `${line}pailfs: there is nothing else to do\n`,
    });
  });

  it('retry stores what another mount of the bucket left, and says so', async () => {
    const { directory, storedKeys } = await arrange();
    const line = await makeUnreadable(await leaveAnother(directory));

    const told = await runHere(['uploads', 'retry', 'kept']);

    expect(told).toEqual({ code: 0, stdout: 'stored /kept\n', stderr: line });
    expect(await storedKeys()).toEqual(['kept']);
  });

  it('what a later pailfs wrote is named, and all else is listed and stored [uploads/each]', async () => {
    const { directory, home, server } = await arrange();
    const other = { ...ownerAt(server), bucket: 'other', bucketName: 'music' };
    const later = await leaveBehind(join(home, 'state'), other, 'song');
    await leaveRecords(later, []);
    await writeAsLaterPailfs(later);

    const listed = await runHere(['uploads', '--json']);
    const retried = await runHere(['uploads', 'retry']);

    const stderr = `pailfs: a mount may have left bytes in ${later}, which cannot be looked into (a later pailfs wrote the journal in ${later}): ask with that one\n`;
    expect(listed).toMatchObject({ code: 0, stderr });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ directory, changes: [{ path: '/kept' }] }]);
    expect(retried).toEqual({ code: 1, stdout: 'stored /kept\n', stderr });
  });

  it('it says so when it is the copy of a journal that finds no room', async () => {
    const { home } = await arrange();
    vi.stubEnv('TMPDIR', join(home, 'none'));

    const { stderr } = await runHere(['uploads']);

    expect(stderr).toContain(
      `(no copy of its journal can be made in ${join(home, 'none')}: no such file or directory): free some space there, or choose another with TMPDIR`,
    );
  });
});

describe('what waited, or had failed, when its mount was killed', () => {
  async function leaveWaiting(directory: string): Promise<void> {
    for (const [index, state] of (['queued', 'failed'] as const).entries()) {
      const before = await readdir(join(directory, 'drafts'));
      await leaveDraft(directory, state);
      const id = (await readdir(join(directory, 'drafts'))).find((name) => !before.includes(name)) ?? '';
      const facts = draftFactsOf(state, { sealed: { size: 0, md5: null, at: 1 } });
      await leaveRecords(directory, [put('draft', draftRecordOf(id, { state, facts, sequence: index + 1 }))]);
    }
  }

  it.each([
    [[], ['/failed', '/kept', '/queued']],
    [['queued'], ['/queued']],
  ])(
    'is stored beside what others have stored since, asked for or not: %j [uploads/beside]',
    async (words, told) => {
      const { directory, server, storedKeys } = await arrange();
      await leaveWaiting(directory);
      for (const key of ['queued', 'failed'])
        await server.direct.putObject(server.bucket, key, uploadOf('theirs'));

      const { code, stdout } = await runHere(['uploads', 'retry', ...words]);

      expect(code).toBe(0);
      expect(stdout.match(/(?<=^stored )\/\w+/gm)?.sort()).toEqual(told);
      expect(stdout).toMatch(/^stored \/queued as \/queued \(conflict .*\)$/m);
      const conflict = expect.stringMatching(/^(failed|queued) \(conflict /) as string;
      const kept = words.length === 0 ? ['kept'] : [];
      expect([...(await storedKeys())].sort()).toEqual(['failed', conflict, ...kept, 'queued', conflict]);
      for (const key of ['queued', 'failed'])
        expect((await server.direct.headObject(server.bucket, key)).size).toBe('theirs'.length);
    },
  );
});

describe('where several mounts of a bucket left something', () => {
  it('retry says under which name it has stored what the second left [uploads/beside]', async () => {
    const { directory, storedKeys } = await arrange();
    await leaveDraft(await leaveAnother(directory), 'f');

    const told = await runHere(['uploads', 'retry']);

    const [, beside = ''] = /^stored \/f as \/(f \(conflict .*\))$/m.exec(told.stdout) ?? [];
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('stored /kept\n') as string });
    expect(await storedKeys()).toEqual([beside, 'kept']);
  });

  it('retry takes no deletion for another that had its number elsewhere', async () => {
    const { directory } = await arrange();
    const dropped = { state: 'dropped' } as const;
    await leaveRecords(directory, [put('deletion', deletionOf(1, { key: 'one', ...dropped }))]);
    const another = await leaveAnother(directory);
    await leaveRecords(another, [put('deletion', deletionOf(1, { key: 'two', ...dropped }))]);

    const named = await runHere(['uploads', 'retry', 'two']);
    const all = await runHere(['uploads', 'retry']);

    const why = 'is not deleted: it was dropped: delete the file again, or discard this\n';
    expect(named).toEqual({ code: 1, stdout: '', stderr: `pailfs: /two ${why}` });
    expect(all).toEqual({
      code: 1,
      stdout: 'stored /kept\n',
      stderr: `pailfs: /one ${why}pailfs: /two ${why}`,
    });
  });

  it.each([
    ['begun to be emptied', true],
    ['not emptied', false],
  ])('what was taken over from one that is %s is shown once, and not as gone', async (_what, isBegun) => {
    const { directory } = await arrange();
    const another = await leaveAnother(directory);
    const [id = ''] = await readdir(join(directory, 'drafts'));
    const facts = draftFactsOf('kept', { sealed: { size: 0, md5: null, at: 1 } });
    const record = put('draft', draftRecordOf(id, { state: 'failed', facts }));
    const journal = await leaveRecords(another, [record]);
    await leaveRecords(directory, [record, put('absorbed', { journal, at: 1 })]);
    if (!isBegun) {
      await mkdir(join(another, 'drafts'));
      await link(join(directory, 'drafts', id), join(another, 'drafts', id));
    }

    const { stdout } = await runHere(['uploads']);
    const told = await runHere(['uploads', 'discard', id, '--yes']);

    expect(stdout.match(/\/kept/g)).toHaveLength(1);
    expect(stdout).not.toContain('gone');
    expect(told).toEqual({ code: 0, stdout: 'discarded /kept\n', stderr: '' });
    expect((await runHere(['uploads'])).stdout).toBe('everything is stored\n');
  });
});

describe('export', () => {
  it('says of what is named and has no bytes that it is not exported', async () => {
    const { directory, home } = await arrange();
    await leaveRecords(directory, [put('deletion', deletionOf(1, { key: 'f' }))]);
    const out = join(home, 'out');

    const told = await runHere(['uploads', 'export', out, 'f', 'kept']);

    const stderr = 'pailfs: /f is not exported: it has no bytes\n';
    expect(told).toEqual({ code: 1, stdout: `${join(out, 'kept')}\n`, stderr });
    expect(await runHere(['uploads', 'export', out])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('retry of what a killed mount left of a rename [uploads/retry]', () => {
  async function cut(): Promise<Scene> {
    const scene = await arrange();
    const { bucket, direct } = scene.server;
    await direct.putObject(bucket, 'a/0', uploadOf('abc'));
    const [there] = (await direct.listObjects(bucket, { folder: 'a/' })).objects;
    const known = { size: 3, etag: there?.etag ?? null, lastModified: there?.lastModified.getTime() ?? 0 };
    const source = { ...known, md5: null, storedWithin: null, contentType: null };
    const step: RenameStepRecord = { ...renameStepOf('cut', 0), source };
    await leaveRecords(scene.directory, [put('rename', renameOf('cut')), put('rename-step', step)]);
    return scene;
  }

  it('finishes it before it ends', async () => {
    const { storedKeys } = await cut();

    const told = await runHere(['uploads', 'retry']);

    expect(told).toEqual({ code: 0, stdout: 'ended the rename of /a\nstored /kept\n', stderr: '' });
    expect(await storedKeys()).toEqual(['kept', 'b/']);
    expect((await runHere(['uploads'])).stdout).toBe('everything is stored\n');
  });

  it('tells of a file that stays under its old name, since nobody reads a log', async () => {
    const { server, storedKeys } = await cut();
    await server.direct.putObject(server.bucket, 'a/0', uploadOf('somebody else has stored this'));

    const told = await runHere(['uploads', 'retry', 'cut']);

    const stays =
      'pailfs: a file of a rename that a crash had cut stays under its old name: a/0 -> b/0: somebody else has replaced the file under its old name\n';
    expect(told).toMatchObject({ code: 0, stderr: stays });
    expect(await storedKeys()).toContain('a/');
  });

  it('says of what is stored before it is finished under which name that is [uploads/beside]', async () => {
    const { server, directory, storedKeys } = await cut();
    const kept = await readdir(join(directory, 'drafts'));
    await leaveDraft(directory, 'f');
    const id = (await readdir(join(directory, 'drafts'))).find((name) => !kept.includes(name)) ?? '';
    const made = { base: someVersionRecord, basis: 'edit' } as const;
    const facts = draftFactsOf('f', { ...made, sealed: { size: 0, md5: null, at: 1 } });
    await leaveRecords(directory, [put('draft', draftRecordOf(id, { state: 'failed', facts }))]);
    server.faults.add({ operation: 'deleteObject', fault: { kind: 'delay', milliseconds: 1500 } });

    const { stdout } = await runHere(['uploads', 'retry']);

    expect(await storedKeys()).toContainEqual(expect.stringContaining('conflict'));
    expect(stdout).toMatch(/^stored \/f as \/f \(conflict .*\)$/m);
  });

  it.each([[[]], [['cut']]])('says why it cannot be finished, and ends with 1: %j', async (words) => {
    const { server } = await cut();
    for (const operation of ['headObject', 'listObjects', 'getObject'] as const)
      server.faults.add({ operation, times: Infinity, fault: { kind: 'status', status: 403 } });

    const told = await runHere(['uploads', 'retry', ...words]);

    expect(told).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pailfs: /a is not renamed: the service answered 403\n') as string,
    });
  });
});

it('tells of damaged records that retry puts aside, since no later mount finds them', async () => {
  const { directory } = await arrange();
  const stray: RenameStepRecord = { ...renameStepOf('lost', 0), state: 'copying' };
  await leaveRecords(directory, [put('rename-step', stray)]);
  const rows = await RowDatabase.open(join(directory, 'journal'));
  await rows.commit([{ type: 'put', key: 'deletion/2', value: 'damaged' }], 'synced');
  await rows.close();

  const first = await runHere(['uploads', 'retry']);
  const second = await runHere(['uploads', 'retry']);

  expect(first).toEqual({
    code: 0,
    stdout: 'stored /kept\n',
    stderr: `pailfs: a record of the journal is damaged and was put aside: deletion/2: the checksum is wrong
pailfs: the record of a rename is damaged: a file is under its old name, its new one, or both: a/0 -> b/0
`,
  });
  expect(second.stderr).toBe('pailfs: there is nothing to do\n');
});
