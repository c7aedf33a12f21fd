/** What becomes of words on the command line that are no text? */
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

/** `name` is what printf makes the word of. */
async function stored(name: string): Promise<{ outcome: object; keys: readonly string[] }> {
  const server = await startEmbeddedServer();
  const { accessKeyId, secretAccessKey } = server.credentials;
  const at = await CommandLine.open(server);
  const settings = `PAILFS_BASE_URL=${server.baseUrl} PAILFS_ACCESS_KEY_ID=${accessKeyId} PAILFS_SECRET_ACCESS_KEY=${secretAccessKey}`;
  const words = CommandLine.words.map((word) => `'${word}'`).join(' ');

  const outcome = await at.shell(
    `echo x | env ${settings} ${words} put - "$(printf 'photos:${name}')" --json 2>&1 >/dev/null`,
  );
  const { objects } = await server.direct.listObjects(server.bucket, { folder: '' });
  return { outcome, keys: objects.map(({ key }) => key) };
}

it('a key that is not UTF-8 is refused: what is nearest to it is another key', async () => {
  expect(await stored(String.raw`caf\351`)).toEqual({
    outcome: {
      code: 2,
      stdout:
        'pailfs: photos:caf\uFFFD is not valid UTF-8, as all names here are: give a file of such a name on stdin\n',
      stderr: '',
    },
    keys: [],
  });
});

it('a key with the character that stands for such bytes is a key', async () => {
  const { outcome, keys } = await stored(String.raw`caf\357\277\275`);

  expect(outcome).toMatchObject({ code: 0 });
  expect(keys).toEqual(['caf\uFFFD']);
});
