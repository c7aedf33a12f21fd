/** SEMANTICS: a download that is damaged on its way must not become the only copy. */
import { expect, it } from 'vitest';
import type { Download, ObjectService } from '../../src/service/object-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

/** In the first download, or in each, a bit is another one; the headers are right. */
function damaging(most: number): { between: (inner: ObjectService) => ObjectService } {
  let damaged = 0;
  const between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async ({ operation }, proceed) => {
      const answer = await proceed();
      if (operation !== 'getObject' || damaged >= most) return answer;
      damaged += 1;
      const download = answer as Download;
      return { ...download, body: otherBits(download.body) } as typeof answer;
    });
  return { between };
}

async function* otherBits(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of body) yield piece.map((byte) => byte ^ 1);
}

it('a rename does not end the right bytes: EIO, and nothing is stored [rename/copy]', async () => {
  const scene = await openForTest(damaging(1));
  await scene.foreignWrite('f', 'right bytes');
  await names(scene.fs, '/');

  expect(await errnoOfCall(scene.fs.rename('/f', '/g', false))).toBe('EIO');

  expect(await textsOf(scene)).toEqual({ f: 'right bytes' });
});

it('nor does it end the file that was to be replaced [rename/copy]', async () => {
  const scene = await openForTest(damaging(1));
  await scene.foreignWrite('f', 'right bytes');
  await scene.foreignWrite('g', 'target');
  await names(scene.fs, '/');

  expect(await errnoOfCall(scene.fs.rename('/f', '/g', false))).toBe('EIO');

  expect(await textsOf(scene)).toEqual({ f: 'right bytes', g: 'target' });
});

it('a file whose ETag is no MD5 of what the service sends each time is renamed all the same [rename/copy]', async () => {
  const scene = await openForTest(damaging(Infinity));
  await scene.foreignWrite('f', 'right bytes');
  await names(scene.fs, '/');

  expect(await errnoOfCall(scene.fs.rename('/f', '/g', false))).toBe('none');

  expect(Object.keys(await textsOf(scene))).toEqual(['g']);
});
