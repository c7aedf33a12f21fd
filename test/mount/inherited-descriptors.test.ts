/** What becomes of a file that a program writes while it starts others, which have and close its descriptors? */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { InterceptedService } from '../support/intercepted-service.ts';
import { MountedBucket, type BucketMountOptions } from '../support/mounted-bucket.ts';
import { stickUploads, type StuckUploads } from '../support/stuck-uploads.ts';

/** Milliseconds: what waits is looked after every half a second. */
const SEVERAL_LOOKS_MS = 3000;
/** All have written before the first of them executes: nobody writes while it is stored. */
const CHILDREN = `
  for (1..6) { unless (fork) { close G; syswrite F, "x" x 8e6; syswrite W, "."; sysread S, $x, 1; exec "true" } }
  sysread R, $x, 1 for 1..6; close G;
`;

async function mounted(between: BucketMountOptions['between']): Promise<MountedBucket> {
  // The native driver is not told who closes a file.
  const mount = await MountedBucket.open({ driver: 'kernel', ...(between !== undefined && { between }) });
  onTestFinished(() => mount.close());
  mount.startTimer();
  return mount;
}

it.each([
  // Of perl's descriptors the system closes all above $^F when it executes a program.
  ['when they are executed', '$^F = 2;'],
  ['when they end', '$^F = 100;'],
  ['by themselves', '$^F = 100; unless (fork) { close F; exec "true" } wait;'],
])('it is stored once, by who writes it: others close it %s [write/inherited]', async (_when, others) => {
  const stored: (string | undefined)[] = [];
  const mount = await mounted(
    (service) =>
      new InterceptedService(service, (call, proceed) => {
        if (call.operation === 'putObject') stored.push(call.key);
        return proceed();
      }),
  );
  const script = `open F, ">", "log"; syswrite F, "half\n"; ${others} system "true"; system "echo x > other"; syswrite F, "whole\n"; close F`;

  expect(await mount.run(`perl -e '${script}'; cat log`)).toMatchObject({
    errors: '',
    output: 'half\nwhole\n',
  });

  expect(stored).toEqual(['other', 'log']);
});

it('programs that have written, and execute others, wait for the upload, which goes on', async () => {
  const uploads: StuckUploads[] = [];
  const mount = await mounted((service) => {
    uploads.push(stickUploads(service));
    return service;
  });
  const writing = mount.run(
    `perl -e 'open F, ">", "shared"; pipe R, W; pipe S, G; ${CHILDREN} 1 while wait > 0; close F'; wc -c < shared`,
  );
  await expect.poll(() => uploads[0]?.stuck.has('shared'), { timeout: 60_000 }).toBe(true);

  await sleep(SEVERAL_LOOKS_MS);
  uploads[0]?.letGo();

  expect(await writing).toMatchObject({ errors: '', output: '48000000\n' });
  mount.stopTimer();
});
