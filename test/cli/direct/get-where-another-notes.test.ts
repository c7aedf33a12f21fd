/** What somebody has under the name of a download's record is his, also when it looks like one, or comes while the download goes on. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { breakOperation } from '../../mutants/breaking.ts';
import { CommandLine } from '../../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../../support/embedded-service.ts';
import { signal } from '../../support/signal.ts';

/** Until the result is called, or the test ends, the bytes of this key do not come. */
function holdDownload(key: string): () => void {
  const held = signal();
  const undo = breakOperation('getObject', (whole) => async (bucket, asked, ...given) => {
    if (asked === key) await held.given;
    return whole(bucket, asked, ...given);
  });
  onTestFinished(() => {
    held.give();
    undo();
  });
  return held.give;
}

it.each(['{"baseUrl":"https://mine.example","secret":"diary"}', '{"baseUrl":""}\n'])(
  'a file %j of a person is not taken for the record of a download',
  async (own) => {
    const server = await startEmbeddedServer();
    await server.direct.putObject(server.bucket, 'song', uploadOf('la la'));
    const at = await CommandLine.open(server);
    await writeFile(join(at.home, 'song.part.json'), own);

    const { code, stderr } = await at.run(['get', 'photos:song', 'song']);

    expect(await readFile(join(at.home, 'song.part.json'), 'utf8')).toBe(own);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pailfs get has not made it') as string,
    });
  },
);

it('what is said to be fetched is not removed by another download that ends later', async () => {
  const server = await startEmbeddedServer();
  await server.direct.putObject(server.bucket, 'song', uploadOf('la la'));
  await server.direct.putObject(server.bucket, 'song.part.json', uploadOf('{"title": "song"}'));
  const at = await CommandLine.open(server);
  const directory = join(at.home, 'in');
  await mkdir(directory);
  const letThrough = holdDownload('song');
  const first = at.run(['get', 'photos:song', 'in']);
  await expect.poll(() => readdir(directory)).toContain('song.part.json');

  const second = await at.run(['get', 'photos:song.part.json', 'in']);

  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /song\.part\.json is where another pailfs get puts what it fetches/,
    ) as string,
  });
  letThrough();
  expect((await first).code).toBe(0);
  expect(await readFile(join(directory, 'song'), 'utf8')).toBe('la la');
});
