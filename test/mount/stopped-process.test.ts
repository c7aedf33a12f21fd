/** What do programs see whose mount was stopped while they waited for the service, longer than they would have waited for that? */
import { afterEach, expect, it } from 'vitest';
import { InterceptedService } from '../support/intercepted-service.ts';
import { MountedBucket } from '../support/mounted-bucket.ts';
import { signal } from '../support/signal.ts';

/** Milliseconds. */
const PATIENCE = 4000;
const STOPPED_FOR = 7000;
const HELD: readonly string[] = ['putObject', 'getObject', 'headObject'];

let mount: MountedBucket | undefined;

afterEach(async () => {
  await mount?.close();
});

it('a copy, a reading and a look at a name that the service answered meanwhile succeed [errors/stopped]', async () => {
  const [goOn, asked] = [signal(), new Set<string>()];
  let isHolding = false;
  mount = await MountedBucket.open({
    deadlines: {
      headers: PATIENCE,
      bodyIdle: PATIENCE,
      metadata: PATIENCE,
      read: PATIENCE,
      uploadIdle: PATIENCE,
    },
    retry: { retries: 0 },
    between: (service) =>
      new InterceptedService(service, async ({ operation }, proceed) => {
        if (!isHolding || !HELD.includes(operation)) return proceed();
        asked.add(operation);
        await goOn.given;
        return proceed();
      }),
  });
  mount.startTimer();
  const { pid } = mount.mounted;
  await mount.foreignWrite('old', 'old bytes');
  await mount.foreignWrite('folder/file', 'x');
  await mount.run('ls');
  isHolding = true;

  const programs = Promise.all([
    mount.run('echo bytes > new'),
    mount.run('cat old'),
    mount.run('test -e folder/missing; test $? = 1'),
  ]);
  await expect.poll(() => asked.size, { timeout: 60_000 }).toBe(HELD.length);
  process.kill(pid, 'SIGSTOP');
  goOn.give();
  await new Promise((resolve) => setTimeout(resolve, STOPPED_FOR));
  process.kill(pid, 'SIGCONT');

  const [copy, reading, look] = await programs;
  expect(copy).toMatchObject({ exit: 0, errors: '' });
  expect(reading).toMatchObject({ exit: 0, output: 'old bytes' });
  expect(look).toMatchObject({ exit: 0, errors: '' });
  expect((await mount.stored('new')).toString()).toBe('bytes\n');
});
