/**
 * SEMANTICS: a file is renamed over one that waits, the service refuses the last step, and the mount is killed: then the waiting one is
 * removed, or renamed, through the next mount.
 */
import { expect, it } from 'vitest';
import { Refusal } from '../../src/service/refusal.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService, type Interceptor } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than names are trusted. */
const LATER = 11_000;

interface LeftAt {
  readonly writeBack: boolean;
  /** Whether /g was stored before, as `before`. */
  readonly wasStored: boolean;
}

/** /f is stored; /g, or what was stored there, waits as `promised`, and the copy that a rename of /f over it has left is stored under its name. */
async function withLeftCopy({ writeBack, wasStored }: LeftAt, intercept: Interceptor) {
  const between = (service: FileSystemForTest['service']) => new InterceptedService(service, intercept);
  const scene = await openForTest({ settings: { writeBack }, between });
  const { fs, clock, mounted, store, faults } = scene;
  await scene.foreignWrite('f', 'source');
  if (wasStored) await scene.foreignWrite('g', 'before');
  await names(fs, '/');
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/g', 'promised').catch(() => undefined);
  clock.advance(1000);
  await expect.poll(async () => (await mounted.unsent.list()).map(({ state }) => state)).toEqual(['failed']);
  store.changeAccount({ gracePeriod: false });
  faults.add({ operation: 'deleteObject', key: 'f', fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(fs.rename('/f', '/g', false))).toBe('EACCES');
  return scene;
}

/** The mount of `withLeftCopy` is killed. The next one shows what waits, and has not had the service's word on it when this resolves. */
async function killedWithLeftCopy(left: LeftAt) {
  let isDead = false;
  let isAway = true;
  let refused = 0;
  const scene = await withLeftCopy(left, (_call, proceed) =>
    isDead ? new Promise(() => undefined) : proceed(),
  );
  const disk = await diskNow(scene);
  isDead = true;
  const service = new InterceptedService(scene.direct, (call, proceed) => {
    if (!isAway) return proceed();
    refused += 1;
    throw new Refusal('unavailable', 'the service is away', { operation: call.operation });
  });
  const mounted = await mountOver(disk, scene, { settings: { writeBack: left.writeBack }, service });
  scene.clock.advance(1000);
  await expect.poll(() => refused).toBeGreaterThan(0);
  isAway = false;
  return { ...scene, mounted, fs: mounted.operations };
}

const EACH = [true, false].flatMap((writeBack) =>
  [true, false].map((wasStored) => ({ writeBack, wasStored })),
);
const CASE = '(write-back $writeBack, stored before $wasStored)';

it.each(EACH)(
  `removed after a kill, it is gone, and the other file stays ${CASE} [rename/undo]`,
  async (left) => {
    const scene = await killedWithLeftCopy(left);
    const { fs, mounted, clock } = scene;

    await fs.unlink('/g');

    await drained(mounted);
    clock.advance(LATER);
    expect(await names(fs, '/')).toEqual(['f']);
    expect(await textsOf(scene)).toEqual({ f: 'source' });
    expect(await mounted.unsent.list()).toEqual([]);
  },
);

it.each(EACH)(`renamed after a kill, nothing is left at its old name ${CASE} [rename/undo]`, async (left) => {
  const scene = await killedWithLeftCopy(left);
  const { fs, mounted, clock } = scene;

  await fs.rename('/g', '/h', false);

  await drained(mounted);
  clock.advance(LATER);
  expect(await names(fs, '/')).toEqual(['f', 'h']);
  expect(await textsOf(scene)).toEqual({ f: 'source', h: 'promised' });
  expect(await mounted.unsent.list()).toEqual([]);
});
