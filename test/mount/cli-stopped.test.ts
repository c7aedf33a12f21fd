/** What becomes of commands where the process of a mount is stopped, as by a debugger, or hangs? */
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';

it('mounting there again fails, and unmounting says how it is detached; neither waits for the process', async () => {
  const at = await CommandLine.open(await startEmbeddedServer());
  const mount = await at.mountInFront(['photos', at.mountpoint]);
  mount.signal('SIGSTOP');

  const again = await at.run(['mount', 'photos', at.mountpoint]);
  const unmounted = await at.run(['unmount', '--timeout', '1', at.mountpoint]);

  mount.signal('SIGCONT');
  expect(again).toMatchObject({ code: 32, stderr: expect.stringContaining('already has photos') as string });
  expect(unmounted).toMatchObject({
    code: 32,
    stderr: `pailfs: ${at.mountpoint} cannot be unmounted, since its process does not answer: "pailfs unmount --lazy" detaches it\n`,
  });
});
