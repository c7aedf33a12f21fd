/** The S3 front of the bench: enough of S3 for rclone and s3fs, over the objects that pailfs sees. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startS3Front, type S3Front } from '../../bench/s3-front/s3-front.ts';
import { bytesOf, openEmbeddedService, uploadOf, type EmbeddedService } from '../support/embedded-service.ts';

describe('the S3 front', () => {
  let store: EmbeddedService;
  let base: string;
  let front: S3Front;

  beforeEach(async () => {
    store = await openEmbeddedService();
    front = await startS3Front(store.service);
    onTestFinished(() => front.close());
    base = `http://127.0.0.1:${front.port}/${store.bucket}`;
  });

  it('stores what is put where pailfs finds it, and says what was told of it', async () => {
    const headers = { 'x-amz-meta-mtime': '17', 'content-type': 'text/plain' };
    await fetch(`${base}/a/b%20c.txt`, { method: 'PUT', body: 'hello', headers });

    const head = await fetch(`${base}/a/b%20c.txt`, { method: 'HEAD' });
    expect(await stored('a/b c.txt')).toBe('hello');
    expect(head.headers.get('content-length')).toBe('5');
    expect(head.headers.get('content-type')).toBe('text/plain');
    expect(head.headers.get('x-amz-meta-mtime')).toBe('17');
    expect(head.headers.get('etag')).toBe('"5d41402abc4b2a76b9719d911017c592"');
  });

  it('answers parts of an object, and what is not there', async () => {
    await store.direct.putObject(store.bucket, 'file', uploadOf('0123456789'));

    const part = await fetch(`${base}/file`, { headers: { range: 'bytes=2-4' } });
    const last = await fetch(`${base}/file`, { headers: { range: 'bytes=-2' } });
    const missing = await fetch(`${base}/other`);

    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    expect(await last.text()).toBe('89');
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain('<Code>NoSuchKey</Code>');
  });

  it.each([
    ['list-type=2&', 'continuation-token', 'NextContinuationToken'],
    ['', 'marker', 'NextMarker'],
  ])('lists one level page by page (%s)', async (version, mark, next) => {
    for (const key of ['d/a&b', 'd/c', 'd/e/f', 'g'])
      await store.direct.putObject(store.bucket, key, uploadOf(''));
    const query = `${base}?${version}prefix=d/&delimiter=/&max-keys=2`;

    const first = await (await fetch(query)).text();
    const token = texts(first, next)[0] ?? '';
    const second = await (await fetch(`${query}&${mark}=${encodeURIComponent(token)}`)).text();

    expect(texts(first, 'Key')).toEqual(['d/a&amp;b', 'd/c']);
    expect(texts(first, 'IsTruncated')).toEqual(['true']);
    expect(texts(second, 'Key')).toEqual([]);
    expect(second).toContain('<CommonPrefixes><Prefix>d/e/</Prefix></CommonPrefixes>');
    expect(texts(second, 'IsTruncated')).toEqual(['false']);
  });

  it('copies an object, and changes what is told of it in place, without moving its bytes', async () => {
    await fetch(`${base}/a`, { method: 'PUT', body: 'bytes', headers: { 'x-amz-meta-mode': '1' } });
    const source = { 'x-amz-copy-source': `/${store.bucket}/a` };
    const replacing = { ...source, 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-mode': '2' };

    await fetch(`${base}/b`, { method: 'PUT', headers: source });
    await fetch(`${base}/a`, { method: 'PUT', headers: replacing });

    const modeOf = async (key: string) => (await fetch(`${base}/${key}`)).headers.get('x-amz-meta-mode');
    expect(await stored('b')).toBe('bytes');
    expect([await modeOf('a'), await modeOf('b')]).toEqual(['2', '1']);
    expect(store.requests.count('putObject')).toBe(2);
  });

  it('makes one object of the parts of an upload, in their order', async () => {
    const begun = await (await fetch(`${base}/big?uploads`, { method: 'POST' })).text();
    const upload = `uploadId=${texts(begun, 'UploadId')[0] ?? ''}`;
    await fetch(`${base}/big?partNumber=2&${upload}`, { method: 'PUT', body: 'second' });
    await fetch(`${base}/big?partNumber=1&${upload}`, { method: 'PUT', body: 'first ' });
    const wanted = [1, 2].map((number) => `<Part><PartNumber>${number}</PartNumber></Part>`).join('');

    const whole = `<CompleteMultipartUpload>${wanted}</CompleteMultipartUpload>`;
    const completed = await fetch(`${base}/big?${upload}`, { method: 'POST', body: whole });

    expect(completed.status).toBe(200);
    expect(await stored('big')).toBe('first second');
  });

  it('deletes one object, or many at once, and counts every request', async () => {
    for (const key of ['a', 'b', 'c']) await store.direct.putObject(store.bucket, key, uploadOf(''));

    await fetch(`${base}/a`, { method: 'DELETE' });
    const body = '<Delete><Object><Key>b</Key></Object><Object><Key>c</Key></Object></Delete>';
    await fetch(`${base}?delete`, { method: 'POST', body });

    expect((await store.direct.listObjects(store.bucket, { folder: '' })).objects).toEqual([]);
    expect(front.takeCounts()).toEqual({ DeleteObject: 1, DeleteObjects: 1 });
    expect(front.takeCounts()).toEqual({});
  });

  it('refuses what it does not know, and bodies in a framing that it would store as they are', async () => {
    const framing = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' };

    const acl = await fetch(`${base}/a?acl`);
    const framed = await fetch(`${base}/a`, { method: 'PUT', body: 'bytes', headers: framing });

    expect([acl.status, framed.status]).toEqual([501, 501]);
  });

  async function stored(key: string): Promise<string> {
    return (await bytesOf((await store.direct.getObject(store.bucket, key)).body)).toString();
  }
});

function texts(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text);
}
