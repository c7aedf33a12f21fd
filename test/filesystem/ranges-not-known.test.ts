/** The spec says nothing of Range (§4.8): a service may refuse it with any status. */
import { expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { Refusal, type RefusalKind } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, readFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openToRead } from '../support/program-acts.ts';

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

it('one refusal that was for something else has nothing read whole [read/no-ranges]', async () => {
  let refusals = 1;
  const ranges: unknown[] = [];
  const between = (service: ObjectService) =>
    new InterceptedService(service, (call, proceed) => {
      if (call.operation === 'getObject' && call.key === 'b') ranges.push(call.range);
      if (call.range === undefined || refusals === 0) return proceed();
      refusals -= 1;
      return Promise.reject(new Refusal('rejected', 'not now', { operation: 'getObject', status: 400 }));
    });
  const { fs, foreignWrite } = await openForTest({ between });
  const content = patternedBytes(20 * 1024 * 1024);
  for (const key of ['a', 'b']) await foreignWrite(key, content);
  expect(Buffer.compare(await readFile(fs, '/a'), content)).toBe(0);

  const handle = await openToRead(fs, '/b');
  const last = Buffer.alloc(10);
  expect(await fs.read(handle, last, content.length - 10)).toBe(10);

  expect(last.equals(content.subarray(-10))).toBe(true);
  expect(ranges).toEqual([expect.objectContaining({ end: content.length })]);
  await fs.release(handle);
});
