/** SEMANTICS: two machines with one bucket, each with a network of its own. They know of each other by the service alone. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CommandLine } from '../support/command-line.ts';
import { startEmbeddedServer } from '../support/embedded-service.ts';
import { openNetworkNamespace } from '../support/network-namespace.ts';

const TTL_SECONDS = 1;

async function twoMachines(ttlSeconds: number): Promise<{ readonly ours: string; readonly theirs: string }> {
  const server = await startEmbeddedServer({}, { host: '0.0.0.0' });
  const mountpoints = await Promise.all(
    [0, 1].map(async (subnet) => {
      const network = await openNetworkNamespace(subnet);
      const at = await CommandLine.open({
        baseUrl: server.baseUrl.replace('0.0.0.0', network.hostAddress),
        credentials: server.credentials,
      });
      const words = ['--allow-insecure', '--metadata-ttl', String(ttlSeconds)];
      const outcome = await at.run(['mount', 'photos', at.mountpoint, ...words], { network });
      expect(outcome).toMatchObject({ code: 0 });
      return at.mountpoint;
    }),
  );
  return { ours: mountpoints[0] ?? '', theirs: mountpoints[1] ?? '' };
}

it('each sees what the other changed once the TTL has passed', async () => {
  const { ours, theirs } = await twoMachines(TTL_SECONDS);
  await writeFile(join(ours, 'kept'), 'first');
  await writeFile(join(ours, 'deleted'), 'soon gone');
  await pause(TTL_SECONDS * 1000);
  expect((await readdir(theirs)).sort()).toEqual(['deleted', 'kept']);
  expect(await readFile(join(theirs, 'kept'), 'utf8')).toBe('first');

  await writeFile(join(ours, 'kept'), 'second, and longer');
  await writeFile(join(ours, 'new'), 'new');
  await rm(join(ours, 'deleted'));
  await pause(TTL_SECONDS * 1000);

  expect((await readdir(theirs)).sort()).toEqual(['kept', 'new']);
  expect(await readFile(join(theirs, 'kept'), 'utf8')).toBe('second, and longer');
  expect(await readFile(join(theirs, 'new'), 'utf8')).toBe('new');
});

it('with metadata_ttl=0 each sees what the other has closed as soon as it opens', async () => {
  const { ours, theirs } = await twoMachines(0);

  for (const content of ['one', 'two and longer', 'six']) {
    await writeFile(join(ours, 'note'), content);
    expect(await readFile(join(theirs, 'note'), 'utf8')).toBe(content);
    await writeFile(join(theirs, 'note'), `${content}, answered`);
    expect(await readFile(join(ours, 'note'), 'utf8')).toBe(`${content}, answered`);
  }

  await rm(join(theirs, 'note'));
  await expect(readFile(join(ours, 'note'))).rejects.toMatchObject({ code: 'ENOENT' });
});
