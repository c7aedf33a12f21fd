/** How an object is replaced without taking its public link away. */
import { describe, expect, it } from 'vitest';
import { isOfUnknownEnd, Refusal } from '../../src/service/refusal.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { VersionChanged } from '../../src/store/range-reader.ts';
import { currentVisibility, publish, replaceObject, type NewContent } from '../../src/store/replace.ts';
import { Version } from '../../src/store/version.ts';
import { bytesOf, openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { InterceptedService, type Interceptor } from '../support/intercepted-service.ts';

/** Of `hello`. */
const MD5 = '5d41402abc4b2a76b9719d911017c592';
const MD5_OF_HELLO = 'eb61eead90e3b899c6bcbe27ac581660';

const hello: NewContent = {
  body: uploadOf('hello', 'text/plain'),
  contentType: 'text/plain',
  md5: () => Promise.resolve(MD5),
  modified: new Date(1000),
};

async function open(missingVisibility: 400 | 404 = 404) {
  const embedded = await openEmbeddedService({ behaviours: { missingVisibility } });
  const store = new BucketStore(embedded.service, embedded.bucket, createGates());
  return { ...embedded, bucketStore: store };
}

describe('replacing', () => {
  it('a private object is one PUT', async () => {
    const { bucketStore, requests } = await open();

    const { version, visibilityFailure } = await replaceObject(bucketStore, 'f', hello, 'private');

    expect(requests.operations).toEqual(['putObject']);
    expect(version).toMatchObject({ size: 5, etag: null, md5: MD5, contentType: 'text/plain' });
    expect(visibilityFailure).toBeUndefined();
  });

  it('a public one is PUT, HEAD, PUT visibility, and the HEAD names the version', async () => {
    const { bucketStore, requests, direct, bucket } = await open();

    const { version } = await replaceObject(bucketStore, 'f', hello, 'public');

    expect(requests.operations).toEqual(['putObject', 'headObject', 'setVisibility']);
    expect(version.etag).toBe(MD5);
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
  });

  it('may have been done where the look that tells whether it lasts is refused', async () => {
    const { bucketStore, faults } = await open();
    bucketStore.late.addUpload('f', { size: 4, md5: '0'.repeat(32), contentType: 'text/plain' });
    faults.add({ operation: 'headObject', fault: { kind: 'status', status: 403 } });

    const replaced = replaceObject(bucketStore, 'f', hello, 'private');

    expect(isOfUnknownEnd(await replaced.catch((error: unknown) => error))).toBe(true);
  });

  it('leaves what somebody else has stored after it, though an upload of ours may still come', async () => {
    const { bucketStore, requests, direct, bucket, store } = await open();
    bucketStore.late.addUpload('f', { size: 4, md5: '0'.repeat(32), contentType: 'text/plain' });
    store.lies.showUploadsLate();
    await direct.putObject(bucket, 'f', uploadOf('theirs'));

    await replaceObject(bucketStore, 'f', hello, 'private');

    expect(requests.operations).toEqual(['putObject', 'headObject']);
    expect((await direct.headObject(bucket, 'f')).size).toBe(6);
  });

  it('has no known end when it was to be done again and nobody was there any more', async () => {
    const { service, store, bucket, faults } = await openEmbeddedService();
    let puts = 0;
    const goneAtThird: Interceptor = (call, proceed) => {
      if (call.operation === 'putObject') puts += 1;
      if (puts < 3) return proceed();
      const details = { operation: 'putObject', neverSent: true } as const;
      return Promise.reject(new Refusal('unavailable', 'no connection', details));
    };
    const ours = new BucketStore(new InterceptedService(service, goneAtThird), bucket, createGates());
    store.lies.showUploadsLate();
    faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    const before = { ...hello, body: uploadOf('HELLO'), md5: () => Promise.resolve(MD5_OF_HELLO) };
    await expect(replaceObject(ours, 'f', before, 'private')).rejects.toMatchObject({ kind: 'unavailable' });

    const refusal: unknown = await replaceObject(ours, 'f', hello, 'private').catch(
      (error: unknown) => error,
    );

    expect(puts).toBe(3);
    expect(isOfUnknownEnd(refusal)).toBe(true);
  });

  it('is done again also where only the bytes tell which upload came', async () => {
    const embedded = await openEmbeddedService({ behaviours: { etag: 'random', date: 'missing' } });
    const store = new BucketStore(embedded.service, embedded.bucket, createGates());
    const before: NewContent = {
      ...hello,
      body: uploadOf('HELLO'),
      md5: () => Promise.resolve(MD5_OF_HELLO),
    };
    embedded.store.lies.showUploadsLate();
    embedded.faults.add({ operation: 'putObject', fault: { kind: 'lost-answer' } });
    await expect(replaceObject(store, 'f', before, 'private')).rejects.toMatchObject({ kind: 'unavailable' });

    await replaceObject(store, 'f', hello, 'private');

    const { body } = await embedded.direct.getObject(embedded.bucket, 'f');
    expect((await bytesOf(body)).toString()).toBe('hello');
  });

  it('reports a visibility that could not be set, though the bytes are stored', async () => {
    const { bucketStore, faults } = await open();
    faults.add({ operation: 'setVisibility', fault: { kind: 'status', status: 503 } });

    const { visibilityFailure } = await replaceObject(bucketStore, 'f', hello, 'public');

    expect(visibilityFailure).toMatchObject({ kind: 'unavailable' });
  });

  it('rejects when the PUT is refused', async () => {
    const { bucketStore, faults } = await open();
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 402 } });

    await expect(replaceObject(bucketStore, 'f', hello, 'public')).rejects.toMatchObject({ kind: 'paused' });
  });
});

describe('publishing', () => {
  it('leaves somebody else’s bytes private', async () => {
    const { bucketStore, direct, bucket, requests } = await open();
    await direct.putObject(bucket, 'f', uploadOf('other'));
    const own = { size: 5, md5: MD5, storedWithin: null, contentType: 'a/b' };
    const version = Version.uploaded(own, new Date(0));

    await expect(publish(bucketStore, 'f', version)).rejects.toBeInstanceOf(VersionChanged);

    expect(requests.operations).toEqual(['headObject', 'getObject']);
  });

  it('costs no download once ETags are known to be MD5s', async () => {
    const { bucketStore, direct, bucket, requests } = await open();
    await replaceObject(bucketStore, 'ours', hello, 'public');
    await direct.putObject(bucket, 'f', uploadOf('other'));
    requests.reset();
    const own = { size: 5, md5: MD5, storedWithin: null, contentType: 'a/b' };

    await expect(publish(bucketStore, 'f', Version.uploaded(own, new Date(0)))).rejects.toBeInstanceOf(
      VersionChanged,
    );

    expect(requests.operations).toEqual(['headObject']);
  });
});

describe('the visibility to keep', () => {
  it('is what the service says', async () => {
    const { bucketStore, direct, bucket } = await open();
    await direct.putObject(bucket, 'f', uploadOf('x'));
    expect(await currentVisibility(bucketStore, 'f')).toBe('private');

    await direct.setVisibility(bucket, 'f', 'public');

    expect(await currentVisibility(bucketStore, 'f')).toBe('public');
  });

  it.each([404, 400] as const)('of a missing object, answered with %i, is private', async (status) => {
    const { bucketStore } = await open(status);

    expect(await currentVisibility(bucketStore, 'f')).toBe('private');
  });

  it('is not guessed when the question is refused for an object that exists', async () => {
    const { bucketStore, direct, bucket, faults } = await open();
    await direct.putObject(bucket, 'f', uploadOf('x'));
    faults.add({ operation: 'getVisibility', fault: { kind: 'status', status: 400 } });

    await expect(currentVisibility(bucketStore, 'f')).rejects.toMatchObject({ kind: 'rejected' });
  });
});
