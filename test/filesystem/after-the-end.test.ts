/** SEMANTICS: an unmount gives up, and what was under way goes on in the process that ends. What does the next mount find? */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { heldRequests } from '../support/held-requests.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { edit, errnoOfCall, LogForTest, openToEdit, writeAt } from '../support/program-acts.ts';
import { stateOf, store, withPublicFile } from '../support/public-file.ts';
import { signal } from '../support/signal.ts';
import { textsOf } from '../support/stored-state.ts';

/** Longer than any trip to the local disk that is to be over then, milliseconds. */
const MOMENT = 200;

it.each([
  { writeBack: true, publishes: true },
  { writeBack: true, publishes: false },
  { writeBack: false, publishes: true },
  { writeBack: false, publishes: false },
])('an upload that ends then is found stored, and public, %o [write/unmount] [crash/link]', async (how) => {
  const { writeBack, publishes } = how;
  const put = heldRequests('putObject');
  const scene = await withPublicFile({
    settings: { writeBack },
    between: (service) =>
      new InterceptedService(put.between(service), async (call, proceed) => {
        if (call.operation === 'setVisibility' && !publishes) throw new Error('connection reset');
        return proceed();
      }),
  });
  const closed = edit(scene.fs, '/f', 'O', 0).catch(() => undefined);
  if (writeBack)
    await closed.then(() => {
      store(scene);
    });
  await put.begun;
  await scene.mounted.close({ patience: 1 });
  put.letGo();
  await new Promise((resolve) => setTimeout(resolve, MOMENT));
  const log = new LogForTest();

  const over = { ...scene, service: scene.direct };
  const next = await mountOver(await diskNow(scene), over, { settings: { writeBack }, log });
  await drained(next);

  expect(await stateOf(scene)).toEqual(['Old', 'public']);
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

it('renames that have not begun do not begin then, and the next mount has the directory for itself [write/unmount]', async () => {
  const question = heldRequests('getVisibility');
  const scene = await openForTest({ between: question.between });
  const { fs, mounted } = scene;
  for (const name of ['a', 'b', 'c']) await scene.foreignWrite(name, name);
  await names(fs, '/');
  const renames = ['a', 'b', 'c'].map((name) => errnoOfCall(fs.rename(`/${name}`, `/${name}2`, false)));
  await question.begun;
  await mounted.close({ patience: 1 });
  question.letGo();

  expect(await Promise.all(renames)).toEqual(['EIO', 'EIO', 'EIO']);

  expect(await textsOf(scene)).toEqual({ a: 'a', b: 'b', c: 'c' });
  const next = await mountOver({ directory: scene.stateDirectory }, { ...scene, service: scene.direct });
  expect(await next.unsent.list()).toEqual([]);
});

it('an unmount that gives up ends, though an upload holds what it would promise [write/unmount]', async () => {
  const scene = await withPublicFile({ settings: { writeBack: true } });
  await edit(scene.fs, '/f', 'O', 0);
  const disk = await diskNow(scene);
  const [begun, cut] = [signal(), signal()];
  let uploads = 0;
  const service = new InterceptedService(scene.direct, async (call, proceed) => {
    if (call.operation !== 'putObject') return proceed();
    uploads += 1;
    if (uploads > 1) {
      begun.give();
      await cut.given;
    }
    throw new Error('connection reset');
  });
  const mounted = await mountOver(disk, { ...scene, service });
  await expect
    .poll(() => mounted.unsent.list())
    .toMatchObject([{ path: '/f', state: 'end unknown', attempts: 1 }]);
  const handle = await openToEdit(mounted.operations, '/f');
  await writeAt(mounted.operations, handle, 'L', 1);
  const takeThemAgain = refuseCommits('put draft/');
  void errnoOfCall(mounted.operations.flush(handle));
  await begun.given;
  takeThemAgain();

  const unsent = await mounted.close({ patience: 1 });

  cut.give();
  expect(unsent).toMatchObject([{ path: '/f', bytes: 3 }]);
});
