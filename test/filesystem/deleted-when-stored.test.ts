/** SEMANTICS: a file is written that others have deleted: the service is asked who may fetch what is there no more. */
import { expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';
import { withPublicFile } from '../support/public-file.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textOf } from '../support/stored-state.ts';

it.each([404, 400] as const)(
  'a file that vanished answers %i to the question, and is stored anew',
  async (missingVisibility) => {
    const scene = await withPublicFile({ store: { behaviours: { missingVisibility } } });
    await names(scene.fs, '/');
    await scene.direct.deleteObject(scene.bucket, 'f');

    await writeFile(scene.fs, '/f', 'new');

    expect(await textOf(scene, 'f')).toBe('new');
  },
);

it('a file that others store anew right after the question is replaced [write/rewrite-wins]', async () => {
  const scene = await openForTest({ between: awayDuringQuestion });
  await scene.foreignWrite('f', 'old');
  await names(scene.fs, '/');

  expect(await errnoOfCall(writeFile(scene.fs, '/f', 'mine'))).toBe('none');

  expect(await textOf(scene, 'f')).toBe('mine');
});

/** While the service looks who may fetch a file, others have deleted it; by the answer they have stored another. */
function awayDuringQuestion(service: ObjectService): ObjectService {
  let isFirst = true;
  return new InterceptedService(service, async ({ operation, bucket = '', key = '' }, proceed) => {
    if (operation !== 'getVisibility' || !isFirst) return proceed();
    isFirst = false;
    await service.deleteObject(bucket, key);
    try {
      return await proceed();
    } finally {
      await service.putObject(bucket, key, uploadOf('theirs'));
    }
  });
}
