/**
 * SEMANTICS: with write-back a public file is closed again, and changed otherwise, while an upload of it is under way; then the mount is
 * killed, and that upload has been stored.
 */
import { expect, it } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import { diskNow, mountOver, type DiskImage } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, setXattr } from '../support/program-acts.ts';
import { textOf, visibilityOf } from '../support/stored-state.ts';

type Step = (fs: FileSystemOperations) => Promise<void>;

/** How does the mount end, with an upload under way that has been stored? Resolves with what is on the disk then. */
type End = (scene: FileSystemForTest) => Promise<DiskImage>;

const killed: End = diskNow;
const givenUp: End = async (scene) => {
  await scene.mounted.close({ patience: 1 });
  return diskNow(scene);
};

/**
 * The public file /f holds `old`, and `Old` is going up, which the service has but has not said; then come the steps, and the end. The next
 * mount has done all that it found.
 */
async function endedWhileUp(
  settings: Partial<FileSystemSettings>,
  steps: readonly Step[],
  end: End,
): Promise<FileSystemForTest> {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const scene: FileSystemForTest = await openForTest({
    settings,
    between: (service) =>
      new InterceptedService(service, async (call, proceed) => {
        const answer = await proceed();
        if (call.operation !== 'putObject') return answer;
        begin();
        return new Promise<never>(() => undefined);
      }),
  });
  const { fs, mounted, direct, bucket } = scene;
  await scene.foreignWrite('f', 'old');
  await direct.setVisibility(bucket, 'f', 'public');
  const closed = edit(fs, '/f', 'O', 0).catch(() => undefined);
  if (settings.writeBack === true) await closed.then(() => void drained(mounted).catch(() => undefined));
  await begun;
  for (const step of steps) await step(fs);
  const disk = await end(scene);

  expect([await textOf(scene, 'f'), await visibilityOf(scene, 'f')]).toEqual(['Old', 'private']);
  const next = await mountOver(disk, { ...scene, service: direct }, { settings });
  await drained(next);
  expect(await names(next.operations, '/')).toEqual(['f']);
  expect(await next.unsent.list()).toEqual([]);
  return scene;
}

const edited =
  (text: string, at: number): Step =>
  (fs) =>
    edit(fs, '/f', text, at);
const rewritten =
  (text: string): Step =>
  (fs) =>
    writeFile(fs, '/f', text);

it.each([
  { closes: 'once', steps: [edited('l', 1)], text: 'Old' },
  { closes: 'twice', steps: [edited('L', 1), edited('D', 2)], text: 'OLD' },
  { closes: 'three times', steps: [edited('L', 1), edited('D', 2), edited('0', 0)], text: '0LD' },
  { closes: 'anew, once', steps: [rewritten('new')], text: 'new' },
  { closes: 'anew, twice', steps: [rewritten('new'), rewritten('newer')], text: 'newer' },
  { closes: 'in both ways', steps: [rewritten('new'), edited('N', 0)], text: 'New' },
])(
  'what is closed $closes while an upload is under way is stored at its name, and public [crash/link] [write-back/crash]',
  async ({ steps, text }) => {
    for (const end of [killed, givenUp]) {
      const scene = await endedWhileUp({ writeBack: true }, steps, end);

      expect([await textOf(scene, 'f'), await visibilityOf(scene, 'f')]).toEqual([text, 'public']);
    }
  },
);

it('what a close is storing when the mount is killed, or gives up, is stored, and public [crash/link]', async () => {
  for (const end of [killed, givenUp]) {
    const scene = await endedWhileUp({ writeBack: false }, [], end);

    expect([await textOf(scene, 'f'), await visibilityOf(scene, 'f')]).toEqual(['Old', 'public']);
  }
});

it.each([
  { how: 'alone', steps: [] },
  { how: 'after another close', steps: [edited('L', 1)] },
])(
  'what gets another type while an upload is under way, $how, is stored at its name, and public [crash/link]',
  async ({ steps }) => {
    const typed: Step = (fs) => setXattr(fs, '/f', 'user.mime_type', 'text/x-note');
    const scene = await endedWhileUp({ writeBack: true }, [...steps, typed], killed);

    expect(await visibilityOf(scene, 'f')).toBe('public');
    expect(await textOf(scene, 'f')).toBe(steps.length === 0 ? 'Old' : 'OLd');
  },
);
