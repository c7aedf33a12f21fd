/** What is told of a file that was made public, or private, when the look refuses to say whether it has stayed so? */
import { expect, it } from 'vitest';
import { isOfUnknownEnd } from '../../src/service/refusal.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { setVisibility } from '../../src/store/lasting-visibility.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';

it.each(['public', 'private'] as const)(
  'it may be %s, where a request without a known end may come after that',
  async (wanted) => {
    const { service, bucket, direct, faults } = await openEmbeddedService();
    const store = new BucketStore(service, bucket, createGates());
    await direct.putObject(bucket, 'f', uploadOf('bytes'));
    store.late.addUpload('f', { size: 4, md5: '0'.repeat(32), contentType: 'text/plain' });
    store.late.addPublication('f');
    faults.add({ operation: 'getVisibility', fault: { kind: 'status', status: 403 } });

    const end = await setVisibility(store, 'f', wanted).catch((error: unknown) => error);

    expect(isOfUnknownEnd(end)).toBe(true);
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe(wanted);
  },
);
