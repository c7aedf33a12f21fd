/** What does a user see whom the system does not know, as in a container, and who has no HOME? Only root can become one. */
import { chmod } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CommandLine, type Outcome } from '../support/command-line.ts';

const UNKNOWN = 12345;

async function asUnknown(line: string): Promise<Outcome> {
  const at = await CommandLine.open({ baseUrl: '', credentials: { accessKeyId: '', secretAccessKey: '' } });
  await chmod(at.home, 0o755);
  const words = CommandLine.words.map((word) => `'${word}'`).join(' ');
  const unset = ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'].map((name) => `-u ${name}`);
  const user = `setpriv --reuid=${UNKNOWN} --regid=${UNKNOWN} --clear-groups`;
  return at.shell(`env ${unset.join(' ')} ${user} ${words} ${line}`);
}

describe.runIf(process.getuid?.() === 0)('without a home directory', () => {
  it.each([
    ['--version', /^\d+\.\d+\.\d+\n$/],
    ['--help', /^Usage: pailfs /],
  ])('pailfs %s works', async (line, stdout) => {
    expect(await asUnknown(line)).toEqual({
      code: 0,
      stdout: expect.stringMatching(stdout) as string,
      stderr: '',
    });
  });

  it.each(['ls photos:', 'uploads', "mount photos mnt --cache-dir '~/cache'"])(
    'pailfs %s says that HOME is not set',
    async (line) => {
      expect(await asUnknown(line)).toEqual({
        code: 2,
        stdout: '',
        stderr: `pailfs: HOME is not set, and the system knows no home directory of user ${UNKNOWN}: set HOME to a directory of that user\n`,
      });
    },
  );
});
