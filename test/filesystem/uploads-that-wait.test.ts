/** SEMANTICS: an upload that has waited for its turn looks again at what others have done, and holds nobody else up. */
import { expect, it } from 'vitest';
import { FailingDisk } from '../support/failing-disk.ts';
import { hasEnded } from '../support/held-disk.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { edit } from '../support/program-acts.ts';
import { stickUploads } from '../support/stuck-uploads.ts';
import { textOf } from '../support/stored-state.ts';

const PLACES = 8;

it('reads nothing of the local disk between its turn and its PUT where nobody has changed the file', async () => {
  const localFiles = new FailingDisk();
  let looks = 0;
  const scene = await openForTest({
    settings: { metadataTtl: 0 },
    localFiles,
    between: (inner) =>
      new InterceptedService(inner, ({ operation, key }, proceed) => {
        if (key === 'f' && operation === 'headObject') looks += 1;
        if (looks === 2) localFiles.failures.set('read', 'EIO');
        if (operation === 'putObject') localFiles.failures.clear();
        return proceed();
      }),
  });
  await scene.foreignWrite('f', 'base');
  const uploads = stickUploads(scene.service, 'at the end');
  const others = Array.from({ length: PLACES }, (_, number) => writeFile(scene.fs, `/${number}`, 'x'));
  await expect.poll(() => uploads.stuck.size).toBe(PLACES);
  looks = 0;
  const editing = edit(scene.fs, '/f', '!', 4);
  await expect.poll(() => looks).toBeGreaterThan(0);
  looks = 1;
  expect(await hasEnded(editing)).toBe(false);

  uploads.letGo();
  await Promise.all([editing, ...others]);

  expect(await textOf(scene, 'f')).toBe('base!');
});
