/** What does a person hear of what mounts left, when one of the places cannot be read, as after a mount by sudo(8)? */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { claimStateDirectory } from '../../src/cli/state/state-directory.ts';
import { leavePointer, removeIdlePointers } from '../../src/cli/state/state-pointers.ts';
import { findUnsentPlaces, type FoundPlaces } from '../../src/cli/uploads/unsent-places.ts';
import { leaveBehind } from '../support/left-behind.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const OWNER = {
  baseUrl: 'https://storage.example.com',
  accessKeyId: 'id',
  bucket: 'b-1',
  bucketName: 'photos',
};
const OTHER = { ...OWNER, bucket: 'b-2', bucketName: 'music' };
/** Nobody has this number, and so no mounts. */
const NOBODY_ELSE = 4_123_456_789;
const clock = new ManualClock(0);

let usual: string;
let elsewhere: string;

beforeEach(async () => {
  const top = await temporaryDirectory();
  usual = join(top, 'usual');
  elsewhere = join(top, 'elsewhere');
  const user = vi.spyOn(process, 'getuid').mockReturnValue(NOBODY_ELSE);
  onTestFinished(() => {
    user.mockRestore();
  });
});

const look = (): Promise<FoundPlaces> =>
  findUnsentPlaces({
    mountpoint: undefined,
    homes: { named: undefined, written: undefined, defaultStateDir: usual },
    clock,
  });

const pathsIn = ({ places }: FoundPlaces): (string | null)[] =>
  places.flatMap(({ changes }) => changes.map(({ path }) => path));

/** Root, who may read all, can run these: what is made is unreadable for everybody. */
async function bucketUnreadable(directory: string): Promise<string> {
  const bucketHome = join(directory, '..');
  await rm(join(bucketHome, 'about.json'));
  await mkdir(join(bucketHome, 'about.json'));
  return bucketHome;
}

async function mountUnreadable(directory: string): Promise<string> {
  await rename(directory, `${directory}.away`);
  await writeFile(directory, '');
  return directory;
}

it.each([
  ['directory of a bucket', bucketUnreadable, 'illegal operation on a directory'],
  ['directory of a mount', mountUnreadable, 'drafts: not a directory'],
])('a %s that cannot be read is named, and all others are listed', async (_what, makeUnreadable, reason) => {
  for (const home of [usual, elsewhere]) {
    await leaveBehind(home, OWNER, `kept in ${home === usual ? 'usual' : 'elsewhere'}`);
  }
  await leavePointer({ stateDir: elsewhere, defaultStateDir: usual });
  const places: string[] = [];
  for (const home of [usual, elsewhere]) {
    places.push(await makeUnreadable(await leaveBehind(home, OTHER, 'hidden')));
  }

  const found = await look();

  expect(pathsIn(found)).toEqual(['/kept in usual', '/kept in elsewhere']);
  for (const [index, path] of places.entries()) {
    expect(found.unseen[index]).toContain(`${path}, which cannot be looked into (`);
    expect(found.unseen[index]).toContain(`${reason}): see whose it is, and ask as that user`);
  }
});

it('a place elsewhere is not forgotten while a part of it cannot be read [uploads/elsewhere]', async () => {
  const path = await leaveBehind(elsewhere, OTHER, 'hidden');
  // Of another bucket nothing is left.
  await (await claimStateDirectory(elsewhere, OWNER)).release();
  await leavePointer({ stateDir: elsewhere, defaultStateDir: usual });
  const bucketHome = await bucketUnreadable(path);

  await look();
  await removeIdlePointers({ stateDir: elsewhere, defaultStateDir: usual }, clock);

  expect(await readdir(join(usual, 'elsewhere'))).toHaveLength(1);
  await rm(join(bucketHome, 'about.json'), { recursive: true });
  expect(pathsIn(await look())).toEqual(['/hidden']);
});

it('is pointed to on when a mount ends whose disk is not there any more: what it left is on it', async () => {
  await leaveBehind(elsewhere, OWNER, 'a.txt');
  await leavePointer({ stateDir: elsewhere, defaultStateDir: usual });
  // As where it was mounted.
  for (const name of await readdir(elsewhere)) await rm(join(elsewhere, name), { recursive: true });
  await removeIdlePointers({ stateDir: elsewhere, defaultStateDir: usual }, clock);

  expect(await readdir(join(usual, 'elsewhere'))).toHaveLength(1);
});
