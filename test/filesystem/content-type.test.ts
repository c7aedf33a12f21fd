/** SEMANTICS: which Content-Type does a file get when a program writes it? */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';
import { edit, openToRewrite, setXattr, writeAt, xattr } from '../support/program-acts.ts';

const TO_WRITE = { read: false, write: true, truncate: true };

it('a file written from empty is of the type that its name says [write/type]', async () => {
  const { fs, foreignWrite, direct, bucket } = await openForTest();
  await foreignWrite('old.html', 'x', 'text/x-special');
  expect(await xattr(fs, '/old.html', 'user.mime_type')).toBe('text/x-special');

  for (const name of ['new.png', 'old.html', 'unknown', 'x.nosuchextension'])
    await writeFile(fs, `/${name}`, '!');

  const types = ['new.png', 'old.html', 'unknown', 'x.nosuchextension'].map(
    async (key) => (await direct.headObject(bucket, key)).contentType,
  );
  expect(await Promise.all(types)).toEqual([
    'image/png',
    'text/html',
    'application/octet-stream',
    'application/octet-stream',
  ]);
});

it.each([false, true])(
  'a type that was set on what waits, or goes up, is not that of what is written anew after it (write-back: %s) [write/type]',
  async (writeBack) => {
    const { fs, mounted, direct, bucket } = await openForTest({ settings: { writeBack } });
    await writeFile(fs, '/f.txt', 'old');
    await setXattr(fs, '/f.txt', 'user.mime_type', 'image/webp');

    await writeFile(fs, '/f.txt', 'written anew');
    await drained(mounted);

    expect(await direct.headObject(bucket, 'f.txt')).toMatchObject({ contentType: 'text/plain' });
  },
);

it('a type that was set on an empty file is that of what is written into it [write/type]', async () => {
  const { fs, mounted, direct, bucket } = await openForTest({ settings: { writeBack: true } });
  const handle = await openToRewrite(fs, '/f.txt');
  await setXattr(fs, '/f.txt', 'user.mime_type', 'image/webp');
  await fs.truncate('/f.txt', 0, handle);
  await writeAt(fs, handle, 'written');
  await fs.flush(handle);
  await fs.release(handle);
  await drained(mounted);

  expect(await direct.headObject(bucket, 'f.txt')).toMatchObject({ contentType: 'image/webp' });
});

it('an edit in place keeps the type that the object had, known or not [write/type]', async () => {
  const { fs, foreignWrite, direct, bucket } = await openForTest();
  await foreignWrite('listed.txt', 'base', 'text/x-special');
  await foreignWrite('d/looked-at.txt', 'base', 'text/x-special');
  await names(fs, '/');
  await fs.getAttributes('/d/looked-at.txt');

  for (const path of ['/listed.txt', '/d/looked-at.txt']) await edit(fs, path, 'B', 0);
  await fs.truncate('/listed.txt', 2);

  expect((await direct.headObject(bucket, 'listed.txt')).contentType).toBe('text/x-special');
  expect((await direct.headObject(bucket, 'd/looked-at.txt')).contentType).toBe('text/x-special');
});

it.each([
  'text/plain;\r\nX-Injected: yes',
  'text/plain\n;a=b',
  'text/plain; name=日本',
  'text/plain; charset=\u2013utf-8',
])(
  '%j, which no header can carry, is EINVAL, and what a program is writing is stored all the same [xattr/answers]',
  async (type) => {
    const { fs, direct, bucket } = await openForTest();
    const handle = await fs.create('/f', { ...TO_WRITE, exclusive: true, mode: 0o644 });
    await fs.write(handle, Buffer.from('precious'), 0);

    await expect(fs.setXattr('/f', 'user.mime_type', Buffer.from(type), 'any')).rejects.toMatchObject({
      code: 'EINVAL',
    });

    await fs.flush(handle);
    await fs.release(handle);
    expect(await direct.headObject(bucket, 'f')).toMatchObject({ contentType: 'application/octet-stream' });
  },
);
