/** Where a download keeps its bytes until all are there, others may have files of their own. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CommandLine } from '../../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../../support/embedded-service.ts';

/** As a `pailfs get` that has gone left it. */
async function interrupted(
  { direct, bucket, baseUrl }: EmbeddedServer,
  key: string,
  part: string,
  bytes: string,
) {
  const { etag, size } = await direct.headObject(bucket, key);
  await writeFile(`${part}.json`, JSON.stringify({ baseUrl, bucket, key, etag, size }));
  await writeFile(part, bytes);
}

it('a file of a person where the record of a download would be is not gone after it', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'song', uploadOf('la la'));
  const at = await CommandLine.open(server);
  const own = join(at.home, 'song.part.json');
  await writeFile(own, 'my diary');

  const { code, stderr } = await at.run(['get', 'photos:song', 'song']);

  expect(await readFile(own, 'utf8')).toBe('my diary');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'pailfs: photos:song is not fetched: song.part.json is there, and pailfs get has not made it: move it, or choose another name\n',
  });
});

it('a file that was just fetched is there although another one is fetched after it', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'song', uploadOf('la la'));
  await server.direct.putObject(server.bucket, 'song.part.json', uploadOf('{"title": "song"}'));
  const at = await CommandLine.open(server);
  await mkdir(join(at.home, 'in'));

  const { code } = await at.run(['get', 'photos:song.part.json', 'photos:song', 'in']);

  expect(code).toBe(1);
  expect(await readFile(join(at.home, 'in', 'song.part.json'), 'utf8')).toBe('{"title": "song"}');
});

it('an interrupted download does not go on behind the bytes of another file', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'song', uploadOf('la la la la'));
  await server.direct.putObject(server.bucket, 'song.part', uploadOf('BBB'));
  const at = await CommandLine.open(server);
  await mkdir(join(at.home, 'in'));
  await interrupted(server, 'song', join(at.home, 'in', 'song.part'), 'la la');

  const other = await at.run(['get', 'photos:song.part', 'in']);
  const { code } = await at.run(['get', 'photos:song', 'in']);
  const after = await at.run(['get', 'photos:song.part', 'in']);

  expect(other.code).toBe(1);
  expect(other.stderr.replaceAll(at.home, 'HOME')).toMatch(
    /^pailfs: photos:song\.part is not fetched: \S+ is where another pailfs get puts what it fetches: let that go on first, or remove \S+\.part\.json\n$/,
  );
  expect(code).toBe(0);
  expect(await readFile(join(at.home, 'in', 'song'), 'utf8')).toBe('la la la la');
  expect(after.code).toBe(0);
  expect(await readFile(join(at.home, 'in', 'song.part'), 'utf8')).toBe('BBB');
});

it('more bytes than the file has are not taken for it', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'song', uploadOf('la la'));
  const at = await CommandLine.open(server);
  await interrupted(server, 'song', join(at.home, 'song.part'), 'something else');

  expect((await at.run(['get', 'photos:song', 'song'])).code).toBe(0);
  expect(await readFile(join(at.home, 'song'), 'utf8')).toBe('la la');
});

it.each(['', 'la la'])('what cannot be opened has not got a file with the bytes %j', async (bytes) => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'song', uploadOf(bytes));
  const at = await CommandLine.open(server);
  const listening = createServer().listen(join(at.home, 'socket'));
  onTestFinished(() => void listening.close());
  await once(listening, 'listening');

  const { code, stderr } = await at.run(['get', 'photos:song', 'socket']);

  expect(code).toBe(1);
  expect(stderr).toMatch(/^pailfs: photos:song is not fetched: socket: no such device or address\n$/);
});
