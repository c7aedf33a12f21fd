/** What is promised about the bytes of files? (§4.7 to §4.10) */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { bytesOf, uploadOf } from '../support/embedded-service.ts';
import type { Setup } from './contract-setup.ts';
import { walk } from './walk.ts';

/** Each may be a key: the spec limits neither length nor characters. */
export const ODD_KEYS: readonly string[] = [
  'plain.txt',
  'with space',
  ' leading and trailing ',
  '100%',
  '%41%2F',
  'a+b&c=d?e#f;g',
  '../up',
  'a/../b',
  'a/./b',
  'dots/..',
  'double//slash',
  '/leading',
  'trailing/',
  'é composed',
  'e\u0301 decomposed',
  'emoji 🙂/日本語',
  'quote"back\\slash\'',
  'line\nbreak\ttab',
  `long/${'n'.repeat(300)}`,
];

/** Whether a service takes it that takes `plain` keys only. */
const isPlain = (key: string): boolean => !/[\n\t\\]/.test(key);

export function fileContract(setup: () => Promise<Setup>): void {
  it('gives back what was uploaded, with its type, size, ETag and time (§4.7 to §4.9)', async () => {
    const { service, bucket, behaviours, clock } = await setup();
    const content = Buffer.from('hello, world');

    const stored = await service.putObject(
      bucket,
      'a/hello.txt',
      uploadOf(content, 'text/plain; charset=utf-8'),
    );
    const head = await service.headObject(bucket, 'a/hello.txt');
    const download = await service.getObject(bucket, 'a/hello.txt');

    expect(stored).toMatchObject({ bucket, key: 'a/hello.txt', size: 12 });
    expect(head).toMatchObject({ size: 12, contentType: 'text/plain; charset=utf-8' });
    expect(head.lastModified.getTime()).toBe(Math.floor(clock.now() / 1000) * 1000);
    const isMd5 = head.etag === createHash('md5').update(content).digest('hex');
    expect(isMd5).toBe(behaviours.etag === 'md5');
    expect(download.head).toEqual(head);
    expect(download.range).toEqual({ start: 0, end: 12 });
    expect(await bytesOf(download.body)).toEqual(content);
    const { entries } = await walk(service, bucket, { folder: 'a' });
    const { size, etag, lastModified } = head;
    expect(entries.filter(({ key }) => key !== 'a/')).toEqual([
      { key: 'a/hello.txt', size, etag, lastModified },
    ]);
  });

  it('tells when an upload was stored by the clock of its Date header, when it has one', async () => {
    const { service, bucket, behaviours } = await setup();

    const { storedWithin } = await service.putObject(bucket, 'a', uploadOf('a'));
    const { lastModified } = await service.headObject(bucket, 'a');

    const skew = behaviours.date === 'missing' ? null : behaviours.date * 1000;
    const isWithin =
      storedWithin === null
        ? null
        : Math.abs(storedWithin.to - lastModified.getTime() - (skew ?? 0)) <= 2000 &&
          storedWithin.from <= storedWithin.to;
    expect(isWithin).toBe(skew === null ? null : true);
  });

  it('has a type for files that were uploaded without one', async () => {
    const { service, bucket } = await setup();

    await service.putObject(bucket, 'a', uploadOf('a'));

    expect((await service.headObject(bucket, 'a')).contentType).toBe('application/octet-stream');
  });

  it.each([0, 1, 65_536, 300_001])('keeps a file of %d bytes whole', async (size) => {
    const { service, bucket } = await setup();
    const content = Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 7) % 251));

    await service.putObject(bucket, 'bytes', uploadOf(content));

    const { head, body } = await service.getObject(bucket, 'bytes');
    expect(head.size).toBe(size);
    expect((await bytesOf(body)).equals(content)).toBe(true);
  });

  it('gives a range, the whole or a refusal for a range, as it is switched', async () => {
    const { service, bucket, behaviours } = await setup();
    await service.putObject(bucket, 'digits', uploadOf('0123456789'));

    const asked = service.getObject(bucket, 'digits', { range: { start: 2, end: 6 } });

    if (behaviours.range === 'refused') {
      await expect(asked).rejects.toMatchObject({ kind: 'range-refused', status: 416 });
      return;
    }
    const { head, range, body } = await asked;
    const expected = { honoured: '2345', short: '23', crumbs: '2', ignored: '0123456789' }[behaviours.range];
    expect(head.size).toBe(10);
    expect((await bytesOf(body)).toString()).toBe(expected);
    expect(range).toEqual(
      behaviours.range === 'ignored' ? { start: 0, end: 10 } : { start: 2, end: 2 + expected.length },
    );
  });

  it('ends a range at the end of the file, and refuses one that begins there', async () => {
    const { service, bucket, behaviours } = await setup();
    await service.putObject(bucket, 'digits', uploadOf('0123456789'));
    if (behaviours.range !== 'honoured') return;

    const tail = await service.getObject(bucket, 'digits', { range: { start: 7, end: 1000 } });
    expect(tail.range).toEqual({ start: 7, end: 10 });
    expect((await bytesOf(tail.body)).toString()).toBe('789');
    const all = await service.getObject(bucket, 'digits', { range: { start: 0, end: 10 } });
    expect((await bytesOf(all.body)).toString()).toBe('0123456789');
    await expect(
      service.getObject(bucket, 'digits', { range: { start: 10, end: 20 } }),
    ).rejects.toMatchObject({
      kind: 'range-refused',
    });
  });

  it('replaces a file by the next upload of its key (§3.2)', async () => {
    const { service, bucket } = await setup();
    await service.putObject(bucket, 'a', uploadOf('old bytes', 'text/plain'));
    const before = await service.headObject(bucket, 'a');

    await service.putObject(bucket, 'a', uploadOf('new', 'text/html'));

    const { head, body } = await service.getObject(bucket, 'a');
    expect(head).toMatchObject({ size: 3, contentType: 'text/html' });
    expect(head.etag).not.toBe(before.etag);
    expect((await bytesOf(body)).toString()).toBe('new');
  });

  it('finishes a download of what is replaced and deleted meanwhile', async () => {
    const { service, bucket } = await setup();
    const old = Buffer.alloc(500_000, 'old');
    await service.putObject(bucket, 'a', uploadOf(old));

    const download = await service.getObject(bucket, 'a');
    await service.putObject(bucket, 'a', uploadOf('new'));
    await service.deleteObject(bucket, 'a');

    expect((await bytesOf(download.body)).equals(old)).toBe(true);
  });

  it('says of a file that is not there that it is missing, and deletes it all the same (§4.8 to §4.10)', async () => {
    const { service, bucket } = await setup();
    await service.putObject(bucket, 'a', uploadOf('a'));

    await service.deleteObject(bucket, 'a');
    await service.deleteObject(bucket, 'a');

    await expect(service.getObject(bucket, 'a')).rejects.toMatchObject({ kind: 'missing', status: 404 });
    await expect(service.headObject(bucket, 'a')).rejects.toMatchObject({ kind: 'missing', status: 404 });
    expect((await walk(service, bucket, { folder: '' })).files).toEqual([]);
  });

  it('refuses names that no UTF-8 can carry, instead of taking another file for them', async () => {
    const { service, bucket } = await setup();
    await service.putObject(bucket, '\ufffd', uploadOf(''));
    const name = '\ud800';

    const refusals = await Promise.allSettled([
      service.putObject(bucket, name, uploadOf('')),
      service.headObject(bucket, name),
      service.createFolder(bucket, name),
      service.getVisibility(bucket, name),
      service.setVisibility(bucket, name, 'public'),
    ]);

    for (const refusal of refusals)
      expect(refusal).toMatchObject({ status: 'rejected', reason: { kind: 'rejected' } });
    expect((await service.getVisibility(bucket, '\ufffd')).visibility).toBe('private');
  });

  it('keeps keys byte for byte', async () => {
    const { service, bucket, behaviours } = await setup();
    const keys = ODD_KEYS.filter((key) => behaviours.keys === 'all' || isPlain(key));

    for (const key of keys) await service.putObject(bucket, key, uploadOf(`content of ${key}`));

    for (const key of keys) {
      const { body } = await service.getObject(bucket, key);
      expect((await bytesOf(body)).toString()).toBe(`content of ${key}`);
      const folder = key.slice(0, Math.max(0, key.lastIndexOf('/')));
      if (key.startsWith('/')) continue;
      // One slash at the end says nothing, so a name that ends in one needs another.
      expect(
        (await walk(service, bucket, { folder: folder.replace(/\/$/, '//'), limit: 3 })).files,
      ).toContain(key);
    }
  });

  it('takes keys of any length and characters, or refuses those of folders and files alike, as it is switched', async () => {
    const { service, bucket, behaviours } = await setup();
    const unplain = [...ODD_KEYS.filter((key) => !isPlain(key)), 'é'.repeat(513)];

    const answers = await Promise.allSettled(
      unplain.flatMap((key) => [
        service.putObject(bucket, key, uploadOf('a')),
        service.createFolder(bucket, `folder ${key}`),
      ]),
    );

    const expected =
      behaviours.keys === 'all'
        ? { status: 'fulfilled' }
        : { status: 'rejected', reason: { kind: 'rejected', status: 400 } };
    expect(answers).toHaveLength(6);
    for (const answer of answers) expect(answer).toMatchObject(expected);
    await service.putObject(bucket, 'é'.repeat(512), uploadOf('a'));
  });

  it('refuses what is larger than it takes, when it has such a limit', async () => {
    const { service, bucket, behaviours } = await setup();
    const stored = service.putObject(bucket, 'large', uploadOf(Buffer.alloc(1024 * 1024 + 1)));

    if (behaviours.largestUpload === null) expect((await stored).size).toBe(1024 * 1024 + 1);
    else await expect(stored).rejects.toMatchObject({ kind: 'too-large', status: 413 });
  });

  it('stores nothing when the bytes end early or cannot be read, and keeps the old file', async () => {
    const { service, bucket } = await setup();
    await service.putObject(bucket, 'a', uploadOf('old'));
    const failing = {
      size: 10,
      async *open() {
        await Promise.resolve();
        yield Buffer.from('half');
        throw new Error('the disk is broken');
      },
    };
    const short = { ...uploadOf('half'), size: 10 };

    await expect(service.putObject(bucket, 'a', failing)).rejects.toMatchObject({ kind: 'aborted' });
    await expect(service.putObject(bucket, 'b', short)).rejects.toMatchObject({ kind: 'aborted' });

    expect((await service.headObject(bucket, 'a')).size).toBe(3);
    await expect(service.headObject(bucket, 'b')).rejects.toMatchObject({ kind: 'missing' });
  });

  it('gives up what the caller no longer wants', async () => {
    const { service, bucket } = await setup();
    const signal = AbortSignal.abort();

    await expect(service.headObject(bucket, 'a', { signal })).rejects.toMatchObject({ kind: 'aborted' });
    await expect(service.putObject(bucket, 'a', uploadOf('a'), { signal })).rejects.toMatchObject({
      kind: 'aborted',
    });
    await expect(service.headObject(bucket, 'a')).rejects.toMatchObject({ kind: 'missing' });
  });
}
