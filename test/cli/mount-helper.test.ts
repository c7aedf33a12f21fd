/** What does mount(8) hear of its helper where nothing is mounted? What is: test/mount/mount-helper.test.ts. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
const HELPER = fileURLToPath(new URL('../../src/cli/mount-helper-main.ts', import.meta.url));
const PROGRAM = [process.execPath, '--import', LOADER, HELPER];

it.each(['notthere', '4194305'])('that a namespace is not there, with 32: -N %s', async (namespace) => {
  const at = await CommandLine.open({ baseUrl: '', credentials: { accessKeyId: '', secretAccessKey: '' } });

  const outcome = await at.run(['-N', namespace, 'photos', at.mountpoint], { program: PROGRAM });

  expect(outcome).toEqual({
    code: 32,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(
        `^pailfs: -N ${namespace} cannot be entered \\(nsenter: .*\\): it must be a process id, .*\n$`,
      ),
    ) as string,
  });
});
