/** What becomes of a file that was public when Ctrl-C ends `pailfs put`? Every upload makes it private (§3.2). */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLine } from '../../support/command-line.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { servedPublicFile } from '../../support/served-public-file.ts';

/** The command with bytes of `photos:f`, which the service has stored, but not published yet. */
async function storedOnly(bytes: string, ...flags: readonly string[]) {
  const clock = new ManualClock(Date.now());
  clock.holdSleeps = true;
  const server = await servedPublicFile('old', { clock });
  const held = { kind: 'delay', milliseconds: 1 } as const;
  server.faults.add({ operation: 'setVisibility', times: Infinity, fault: held });
  // Before the upload and after it, and after that what is stored is looked at before it is published.
  const looks = flags.length === 0 ? 1 : 0;
  server.faults.add({ operation: 'headObject', skip: looks, fault: held });
  const at = await CommandLine.open(server);
  for (const name of ['f', 'g']) await writeFile(join(at.home, name), bytes);
  const child = at.start(['put', ...flags, 'f', 'g', 'photos:']);
  const told = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data: Buffer) => (told.stdout += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (told.stderr += data.toString()));
  const end = once(child, 'close');
  await expect.poll(() => server.requests.count('headObject')).toBe(looks + 1);
  const goOn = async (): Promise<unknown> => {
    const answering = setInterval(() => {
      clock.advance(1);
    }, 20);
    return end.finally(() => {
      clearInterval(answering);
    });
  };
  return { server, child, told, end, goOn };
}

describe('what pailfs put has uploaded', () => {
  it.each([
    ['that was public', 'new', []],
    ['of no bytes', '', []],
    ['that shall be public', 'new', ['--visibility', 'public']],
  ])('%s is published before Ctrl-C ends it, and nothing else is begun', async (_what, bytes, flags) => {
    const { server, child, told, goOn } = await storedOnly(bytes, ...flags);

    child.kill('SIGINT');

    expect(await goOn()).toEqual([null, 'SIGINT']);
    expect(told).toEqual({ stdout: `stored f as photos:f (${bytes.length} B)\n`, stderr: '' });
    const { direct, bucket, requests } = server;
    expect((await direct.headObject(bucket, 'f')).size).toBe(bytes.length);
    expect((await direct.getVisibility(bucket, 'f')).visibility).toBe('public');
    expect(requests.count('putObject')).toBe(1);
  });

  it('is not waited for by who interrupts again', async () => {
    const { child, told, end } = await storedOnly('new');

    // One that comes while the first is still to be heard of is the same.
    const again = setInterval(() => child.kill('SIGINT'), 20);

    expect(
      await end.finally(() => {
        clearInterval(again);
      }),
    ).toEqual([null, 'SIGINT']);
    expect(told.stdout).toBe('');
  });
});
