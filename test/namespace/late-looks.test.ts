/** SEMANTICS `[fresh/last-asked]`: what was told, or done here, long ago comes late, while somebody asks anew: who is right? */
import { expect, it } from 'vitest';
import { Version } from '../../src/store/version.ts';
import { uploadOf } from '../support/embedded-service.ts';
import { namesAlone } from '../support/names-alone.ts';

/** `d/f` is a folder; what is in `d` nobody has asked yet. */
async function withFolder() {
  const names = await namesAlone();
  await names.direct.putObject(names.bucket, 'd/f/inside', uploadOf('x'));
  await names.namespace.list('/');
  return names;
}

it('a look that was asked for after a refresh finds a folder gone that a listing from before still shows [fresh/last-asked]', async () => {
  const { namespace, clock, held, direct, bucket } = await withFolder();
  const page = held.hold('listObjects');
  const listed = namespace.list('/d');
  await page.made;
  await direct.deleteObject(bucket, 'd/f/inside');
  clock.advance(10);
  namespace.refresh('/');
  clock.advance(10);
  await direct.putObject(bucket, 'd/other', uploadOf('x'));
  await namespace.list('/');
  const answer = held.hold('headObject');
  const look = namespace.lookup('/d/f');
  await answer.made;
  page.letGo();
  expect((await listed).recall('f')?.kind).toBe('folder');

  answer.letGo();

  expect((await look).kind).toBe('missing');
});

it('a listing is believed that shows a file in the place of the folder that a look from before has found [fresh/last-asked]', async () => {
  const { namespace, clock, held, direct, bucket } = await withFolder();
  const answer = held.hold('listObjects');
  const look = namespace.lookup('/d/f');
  await answer.made;
  await direct.deleteObject(bucket, 'd/f/inside');
  await direct.putObject(bucket, 'd/f', uploadOf('x'));
  clock.advance(10);
  namespace.refresh('/');
  clock.advance(10);
  await namespace.list('/');
  await namespace.list('/d');

  answer.letGo();

  expect((await look).kind).toBe('file');
  expect((await namespace.list('/d')).recall('f')?.kind).toBe('file');
});

it('a file that was deleted here while it was looked for is gone, though the memory holds other folders by then [fresh/own-changes]', async () => {
  const { namespace, held, direct, bucket } = await namesAlone(6000);
  await direct.putObject(bucket, 'd/f', uploadOf('x'));
  for (let index = 0; index < 9; index += 1) await direct.putObject(bucket, `o${index}/f`, uploadOf('x'));
  await namespace.list('/');
  const answer = held.hold('listObjects');
  const look = namespace.lookup('/d/f');
  await answer.made;
  await expect.poll(() => namespace.known.recall('/d/f')?.kind).toBe('file');
  await direct.deleteObject(bucket, 'd/f');
  namespace.known.changed('/d/f', { kind: 'missing' });
  for (let index = 0; index < 9; index += 1) await namespace.list(`/o${index}`);

  answer.letGo();

  expect((await look).kind).toBe('missing');
});

it('what was stored here, and deleted by others, does not come back with a listing that began before [fresh/last-asked]', async () => {
  const { namespace, clock, held, direct, bucket } = await namesAlone();
  // One that no directory shows: only a listing tells what a folder that goes has hidden.
  for (const key of ['d//hidden', 'd/gone/inside']) await direct.putObject(bucket, key, uploadOf('x'));
  const listing = async (answer = held.hold('listObjects')) => {
    clock.advance(10);
    namespace.refresh('/');
    clock.advance(10);
    const listed = namespace.list('/d');
    await answer.made;
    return { listed, letGo: answer.letGo };
  };
  const oldest = await listing();
  const own = {
    size: 1,
    md5: '9dd4e461268c8034f5c8564e155c67a6',
    storedWithin: null,
    contentType: 'text/plain',
  };
  await direct.putObject(bucket, 'd/f', uploadOf('x'));
  namespace.known.changed('/d/f', { kind: 'file', version: Version.uploaded(own, new Date(clock.now())) });
  await direct.deleteObject(bucket, 'd/f');
  const next = await listing();
  next.letGo();
  expect((await next.listed).recall('f')?.kind).toBe('missing');
  await direct.deleteObject(bucket, 'd/gone/inside');
  namespace.known.folderRemoved('/d/gone');
  const last = await listing();
  clock.advance(10);
  oldest.letGo();
  await oldest.listed;

  last.letGo();

  expect((await last.listed).recall('f')?.kind).toBe('missing');
  expect((await namespace.lookup('/d/f')).kind).toBe('missing');
});
