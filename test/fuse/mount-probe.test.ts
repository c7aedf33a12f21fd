/** Does a mount answer? Of mounts that do not: test/mount/cli-status.test.ts. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { isDead, probeMount } from '../../src/fuse/mount-probe.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Programs that this process starts with Node wait for a file. */
async function startingSlowly(): Promise<{ readonly start: () => Promise<void> }> {
  const folder = await temporaryDirectory();
  const node = process.execPath;
  const program = join(folder, 'node');
  const script = `#!/bin/sh\nuntil [ -e '${folder}/go' ]; do /bin/sleep 0.05; done\nexec '${node}' "$@"\n`;
  await writeFile(program, script);
  await chmod(program, 0o755);
  process.execPath = program;
  onTestFinished(() => {
    process.execPath = node;
  });
  return { start: () => writeFile(join(folder, 'go'), '') };
}

/** Programs that this process starts with Node cannot be started. */
function startingNothing(program: string): void {
  const node = process.execPath;
  process.execPath = program;
  onTestFinished(() => {
    process.execPath = node;
  });
}

it.each(['/is/not/there', '/etc/passwd', '/\0'])(
  'is not known where the machine cannot start who looks (%j): it is neither silent nor dead',
  async (program) => {
    startingNothing(program);

    expect(await probeMount('/', systemClock)).toBe('unknown');
    expect(await isDead('/', systemClock)).toBe(false);
  },
);

it('has its five seconds from when somebody looks, however long a busy machine takes to start who looks', async () => {
  const limits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    // As if it never struck.
    sleep: (milliseconds) => {
      limits.push(milliseconds);
      return new Promise(() => undefined);
    },
  };
  const program = await startingSlowly();

  const probe = probeMount('/', clock);
  await expect.poll(() => limits.length).toBe(1);
  const whileItStarts = [...limits];
  await program.start();

  expect(await probe).toBe('answers');
  expect(whileItStarts).not.toContain(5000);
  expect(limits).toContain(5000);
});
