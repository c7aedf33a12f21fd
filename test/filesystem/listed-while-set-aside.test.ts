/** SEMANTICS: what is not stored is in `pailfs uploads` at every moment, also while it is set aside or comes back. */
import { expect, it } from 'vitest';
import { FailingDisk } from '../support/failing-disk.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import {
  openForTest,
  writeFile,
  type FileSystemForTest,
  type TestOptions,
} from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

interface Watched {
  readonly scene: FileSystemForTest;
  /** What happens at each request and each sync of the local disk, before it goes on. */
  readonly step: { taken: () => Promise<void> };
  /** From now on somebody asks for the list at each of them; returns what was shown, each once. */
  readonly watch: () => () => string[];
}

async function watched(options: TestOptions = {}): Promise<Watched> {
  const localFiles = new FailingDisk();
  const step = { taken: (): Promise<void> => Promise.resolve() };
  localFiles.afterSync = () => step.taken();
  const scene = await openForTest({
    ...options,
    localFiles,
    between: (inner) =>
      new InterceptedService(inner, async (_call, proceed) => {
        await step.taken();
        return proceed();
      }),
  });
  const watch = (): (() => string[]) => {
    const shown = new Set<string>();
    step.taken = async () => {
      const listed = await scene.mounted.unsent.list();
      shown.add(listed.map(({ path }) => path).join(' '));
    };
    return () => {
      step.taken = () => Promise.resolve();
      return [...shown];
    };
  };
  return { scene, step, watch };
}

it('what the service refuses for good is listed while it is set aside [uploads/list]', async () => {
  const { scene, watch } = await watched();
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'x');
  const shown = watch();

  expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EACCES');
  await scene.fs.release(handle);

  expect(shown()).toEqual(['/f']);
  expect(await scene.mounted.unsent.list()).toMatchObject([{ path: '/f', state: 'set aside' }]);
});

it('an edit that has lost to somebody else is listed while it is set aside [uploads/list]', async () => {
  const { scene, watch } = await watched({ settings: { conflict: 'fail' } });
  await scene.foreignWrite('f', 'base');
  await edit(scene.fs, '/f', 'B', 0);
  await scene.foreignWrite('f', 'their');
  const shown = watch();

  const errno = await errnoOfCall(edit(scene.fs, '/f', 'C', 0));

  expect(errno).toBe('ESTALE');
  expect(shown().filter((paths) => paths !== '/f')).toEqual([]);
});

it('what was set aside is listed while it comes back, and gets a name beside what others have stored [uploads/list]', async () => {
  const { scene, watch } = await watched();
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });
  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'mine'))).toBe('EACCES');
  await scene.foreignWrite('f', 'theirs');
  const shown = watch();

  const [outcome] = await scene.mounted.unsent.retry(null);

  const storedAs = outcome?.storedAs ?? '';
  expect(await textOf(scene, storedAs.slice(1))).toBe('mine');
  expect(shown().filter((paths) => paths !== '/f' && paths !== storedAs)).toEqual([]);
});

it('what is being set aside is discarded for who asks for that just then [uploads/discard]', async () => {
  const { scene, step } = await watched();
  scene.faults.add({ operation: 'putObject', fault: { kind: 'status', status: 403 } });
  const handle = await openToRewrite(scene.fs, '/f');
  await writeAt(scene.fs, handle, 'x');
  expect(await errnoOfCall(scene.fs.flush(handle))).toBe('EACCES');
  const { unsent } = scene.mounted;
  const discarding = new Promise((resolve) => {
    step.taken = async () => {
      const [change] = await unsent.list();
      resolve(unsent.discard([change?.id ?? '']));
    };
  });

  await scene.fs.release(handle);

  expect(await discarding).toMatchObject([{ isDone: true }]);
  expect(await unsent.list()).toEqual([]);
});
