/** What does a person get who answers a question otherwise than by a word? */
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';

/**
 * Presses the key `octal` at each question of `pailfs rm -r photos:one photos:two`, which asks twice unless the key ends it; what the
 * terminal shows, and the exit code.
 */
async function press(octal: string): Promise<{ readonly shown: string; readonly left: number }> {
  const server = await startEmbeddedServer();
  for (const key of ['one/a', 'two/b']) await server.direct.putObject(server.bucket, key, uploadOf('x'));
  const at = await CommandLine.open(server);
  const { accessKeyId, secretAccessKey } = server.credentials;
  const words = [
    `PAILFS_BASE_URL=${server.baseUrl}`,
    `PAILFS_ACCESS_KEY_ID=${accessKeyId}`,
    `PAILFS_SECRET_ACCESS_KEY=${secretAccessKey}`,
    ...CommandLine.words,
    ...['rm', '-r', 'photos:one', 'photos:two'],
  ];

  const { stdout } = await at.shell(`
    mkfifo keys; : > shown
    script -qfec "stty cols 80; exec env ${words.join(' ')}" /dev/null < keys > shown & terminal=$!
    exec 3> keys
    for question in one two; do
      while kill -0 "$terminal" 2>/dev/null && ! grep -q "Delete photos:$question" shown; do sleep 0.1; done
      kill -0 "$terminal" 2>/dev/null && printf '\\${octal}' >&3
    done
    wait "$terminal"; echo "ended: $?" >> shown; cat shown`);

  const { folders } = await server.direct.listObjects(server.bucket, { folder: '' });
  return { shown: stdout.replaceAll('\r', ''), left: folders.length };
}

it('Ctrl-C ends the command, not only the question', async () => {
  const { shown, left } = await press('003');

  expect(shown).toMatch(/^pailfs: photos:one holds 1 file .*\n[^\n]*Delete photos:one .*\n+ended: 130\n$/);
  expect(left).toBe(2);
});

it('Ctrl-D is no to the question, in a line of its own', async () => {
  const { shown } = await press('004');

  expect(shown).toMatch(/Delete photos:one [^\n]*\n[^\n]*photos:two holds 1 file/);
});
