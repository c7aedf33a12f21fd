/** What `pailfs rm -r` leaves of a whole bucket is said, wherever it is. */
import { expect, it } from 'vitest';
import { listTree } from '../../../src/cli/direct/folder-content.ts';
import { removeTree } from '../../../src/cli/direct/tree-removal.ts';
import { BucketStore } from '../../../src/store/bucket-store.ts';
import { createGates } from '../../../src/store/gates.ts';
import { startEmbeddedServer, uploadOf } from '../../support/embedded-service.ts';

it.each([
  ['a/new', 'a/'],
  ['b/new', 'b/'],
  ['new', 'new'],
])('a bucket is not said to be emptied while %s, stored meanwhile, is in it', async (key, shown) => {
  const { direct, bucket } = await startEmbeddedServer();
  for (const one of ['a/x', 'b/y', 'z']) await direct.putObject(bucket, one, uploadOf(''));
  const store = new BucketStore(direct, bucket, createGates());
  const tree = await listTree(store, '');
  await direct.putObject(bucket, key, uploadOf(''));

  const removal = removeTree(store, '', tree, new AbortController().signal);

  await expect(removal).rejects.toThrow(
    `its files are deleted, but the service still shows ${shown}: something new is in it, or folders stay`,
  );
});

it('a bucket that is empty then is', async () => {
  const { direct, bucket } = await startEmbeddedServer();
  for (const one of ['a/x', 'b/y', 'z']) await direct.putObject(bucket, one, uploadOf(''));
  const store = new BucketStore(direct, bucket, createGates());

  await removeTree(store, '', await listTree(store, ''), new AbortController().signal);

  expect(await listTree(store, '')).toEqual({ folders: [], files: [], unlisted: [] });
});
