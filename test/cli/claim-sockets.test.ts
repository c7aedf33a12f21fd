/** To whom does a name in a local directory belong, and what is left of those who had it? */
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ClaimSockets } from '../../src/cli/state/claim-sockets.ts';
import { bucketHomeOf, claimStateDirectory } from '../../src/cli/state/state-directory.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const OWNER = {
  baseUrl: 'https://storage.example.com',
  accessKeyId: 'id',
  bucket: 'b',
  bucketName: 'photos',
};

it('who was overtaken between his look and his claim has lost it, and claims again: nobody else gets it', async () => {
  const directory = await temporaryDirectory();
  let overtakes = true;
  const sockets = await ClaimSockets.open(directory, () => {
    // As of two that claimed the name and are dead, while this one was about to.
    if (overtakes) writeFileSync(join(directory, 'name.2.sock'), '');
    overtakes = false;
    return 0.5;
  });
  onTestFinished(() => sockets.close());
  const claim = await sockets.claim('name');

  expect(claim).toBeDefined();
  expect(await sockets.claim('name')).toBeUndefined();
  expect(await readdir(directory)).toEqual(['name.3.sock']);
  await claim?.release();
});

it('a directory that could not be claimed whole belongs to nobody, and can be claimed later', async () => {
  const home = await temporaryDirectory();
  const bucketHome = bucketHomeOf(home, OWNER);
  await mkdir(bucketHome, { recursive: true });
  await writeFile(join(bucketHome, '0'), 'no directory');
  await expect(claimStateDirectory(home, OWNER)).rejects.toMatchObject({ code: 'EEXIST' });
  await rm(join(bucketHome, '0'));
  await mkdir(join(bucketHome, '0'));

  const claimed = await claimStateDirectory(home, OWNER);
  await claimed.release();
  expect(claimed.path).toBe(join(bucketHome, '0'));
});

it.runIf(process.platform === 'linux')('who has claimed one has its place no longer open', async () => {
  const home = await temporaryDirectory();
  const claimed = await claimStateDirectory(home, OWNER);
  const open = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  await claimed.release();

  expect(open).not.toContain(bucketHomeOf(home, OWNER));
});
