/** The spec says nothing of Range (§4.8): a service may refuse it with any status. */
import { expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { Refusal, type RefusalKind } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, readFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

it.each<[number, RefusalKind]>([
  [400, 'rejected'],
  [406, 'rejected'],
  [501, 'unavailable'],
])('a large file is read whole where Range is refused with %d [read/no-ranges]', async (status, kind) => {
  const between = (service: ObjectService) =>
    new InterceptedService(service, (call, proceed) => {
      if (call.range === undefined) return proceed();
      return Promise.reject(new Refusal(kind, 'what is a Range?', { operation: 'getObject', status }));
    });
  const { fs, foreignWrite } = await openForTest({ between });
  const content = patternedBytes(20 * 1024 * 1024);
  await foreignWrite('a', content);

  expect(Buffer.compare(await readFile(fs, '/a'), content)).toBe(0);
});
