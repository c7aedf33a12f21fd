/**
 * SEMANTICS: a mount is killed that owed a public file its link; somebody else has made the file private since, or replaced or deleted
 * it. What the next mount stores then is private, and stays so when that is killed, too.
 */
import { expect, it, vi } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  openForTest,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { edit, LogForTest, openToRewrite, writeAt } from '../support/program-acts.ts';
import { signal } from '../support/signal.ts';
import { textOf, visibilityOf } from '../support/stored-state.ts';

const settings = { writeBack: true };

/** Which of a mount's calls does the service do without the mount's ever hearing of it, or not do at all? */
type Deaf = 'put' | 'publish';

interface DeafService {
  /** The call has been made. */
  readonly isMade: Promise<void>;
  readonly between: (service: ObjectService) => ObjectService;
}

function deafTo(what: Deaf): DeafService {
  const made = signal();
  const between = (service: ObjectService) =>
    new InterceptedService(service, async (call, proceed) => {
      if (what === 'put' && call.operation === 'putObject') await proceed();
      else if (what !== 'publish' || call.operation !== 'setVisibility') return proceed();
      made.give();
      return new Promise<never>(() => undefined);
    });
  return { isMade: made.given, between };
}

/** The public file /f, which holds `old`; `deaf` stands before the service. */
async function withPublicFile(options: TestOptions): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings, ...options });
  await scene.foreignWrite('f', 'old');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  return scene;
}

function store(scene: Pick<FileSystemForTest, 'mounted'>): void {
  void drained(scene.mounted).catch(() => undefined);
}

/** What is on the disk once a mount over `disk` has stored what it found, and has not heard of it. */
async function killedAgain(disk: DiskImage, scene: FileSystemForTest): Promise<DiskImage> {
  const { isMade, between } = deafTo('put');
  const mounted = await mountOver(disk, { ...scene, service: between(scene.direct) }, { settings });
  store({ mounted });
  await isMade;
  return diskNow({ stateDirectory: disk.directory });
}

async function goneOn(disk: DiskImage, scene: FileSystemForTest): Promise<void> {
  const next = await mountOver(disk, { ...scene, service: scene.direct }, { settings });
  await drained(next);
  expect(await next.unsent.list()).toEqual([]);
}

async function stateOf(scene: FileSystemForTest): Promise<string[]> {
  return [await textOf(scene, 'f'), await visibilityOf(scene, 'f')];
}

const replacedByOthers = (scene: FileSystemForTest): Promise<void> => scene.foreignWrite('f', 'theirs');
const deletedByOthers = ({ direct, bucket }: FileSystemForTest): Promise<void> =>
  direct.deleteObject(bucket, 'f');

it.each([
  { happens: 'replaced', change: replacedByOthers },
  { happens: 'deleted', change: deletedByOthers },
])(
  'what was written anew, and $happens by others, stays private after a second kill [crash/link]',
  async ({ change }) => {
    const { isMade, between } = deafTo('put');
    const scene = await withPublicFile({ between });
    await writeFile(scene.fs, '/f', 'new');
    store(scene);
    await isMade;
    const disk = await diskNow(scene);
    await change(scene);

    const again = await killedAgain(disk, scene);
    expect(await stateOf(scene)).toEqual(['new', 'private']);
    await goneOn(again, scene);

    expect(await stateOf(scene)).toEqual(['new', 'private']);
  },
);

it('a link that was owed, of a file that others have replaced, does not come back with newer bytes after a second kill [crash/link]', async () => {
  const { isMade, between } = deafTo('publish');
  const scene = await withPublicFile({ between });
  scene.faults.add({ operation: 'setVisibility', times: 1, fault: { kind: 'reset' } });
  await writeFile(scene.fs, '/f', 'new');
  store(scene);
  await isMade;
  await writeFile(scene.fs, '/f', 'newer');
  const disk = await diskNow(scene);
  await replacedByOthers(scene);

  const again = await killedAgain(disk, scene);
  expect(await stateOf(scene)).toEqual(['newer', 'private']);
  await goneOn(again, scene);

  expect(await stateOf(scene)).toEqual(['newer', 'private']);
});

it('what waits behind an upload of a public file is private when others have made that private meanwhile [crash/link]', async () => {
  const scene = await withPublicFile({});
  const { fs, direct, bucket, clock } = scene;
  // Its upload takes the link away for a moment, as the record of what is closed next says.
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'new');
  const uploads: (() => void)[] = [];
  const put = scene.service.putObject.bind(scene.service);
  const begun = signal();
  const spy = vi.spyOn(scene.service, 'putObject').mockImplementation(async (...call) => {
    begun.give();
    await new Promise<void>((resolve) => uploads.push(resolve));
    return put(...call);
  });
  const synced = fs.fsync(handle);
  await begun.given;
  spy.mockRestore();
  await writeAt(fs, handle, 'newer');
  await fs.flush(handle);
  uploads.forEach((letGo) => {
    letGo();
  });
  await synced;
  await direct.setVisibility(bucket, 'f', 'private');
  clock.advance(60_000);
  const { isMade, between } = deafTo('put');
  const deaf = between(direct);
  vi.spyOn(scene.service, 'putObject').mockImplementation((...call) => deaf.putObject(...call));
  store(scene);
  await isMade;
  expect(await stateOf(scene)).toEqual(['newer', 'private']);

  await goneOn(await diskNow(scene), scene);

  expect(await stateOf(scene)).toEqual(['newer', 'private']);
});

it('without a record that no link is owed any more nothing is stored, and it is tried again [crash/link]', async () => {
  const { isMade, between } = deafTo('put');
  const scene = await withPublicFile({ between });
  await edit(scene.fs, '/f', 'O', 0);
  store(scene);
  await isMade;
  const disk = await diskNow(scene);
  await deletedByOthers(scene);
  // The next mount knows by then that the service has nothing.
  const takeThemAgain = refuseCommits('put draft/', '"base":null');
  const log = new LogForTest();
  const next = await mountOver(disk, { ...scene, service: scene.direct }, { settings, log });

  const outcomes = await next.unsent.retry((await next.unsent.list()).map(({ id }) => id));

  expect(outcomes).toMatchObject([{ isDone: false }]);
  expect(log.about('a file could not be stored')).toMatchObject([{ fields: { path: '/f' } }]);
  expect(await textOf(scene, 'f')).toBe('(none)');
  takeThemAgain();
  await drained(next);
  expect(await stateOf(scene)).toEqual(['Old', 'private']);
});
