/** SEMANTICS: an upload whose end nobody knows arrives when a file was made public, and makes it private. What programs were told is so. */
import { expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, setXattr, xattr } from '../support/program-acts.ts';
import { stateOf, withPublicFile } from '../support/public-file.ts';

const VISIBILITY = 'user.pailfs.visibility';

/** What follows the next publication, or comes just before it is done. */
class AroundPublication {
  before: (() => Promise<void>) | null = null;
  next: (() => Promise<void>) | null = null;

  readonly between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async ({ operation, key }, proceed) => {
      if (operation === 'putObject' && key === 'f' && this.next !== null)
        throw new Refusal('timeout', 'no answer', { operation, subject: key });
      const { before, next } = this;
      if (operation === 'setVisibility') {
        this.before = null;
        await before?.();
      }
      const answer = await proceed();
      if (operation !== 'setVisibility' || next === null) return answer;
      this.next = null;
      await next();
      return answer;
    });
}

/** /f holds `old`; a rename of the private /t over it had no answer, and may come yet: when `/f` is made public, if it `comes`. */
async function withLateRename(comes: 'before' | 'after' | 'not'): Promise<FileSystemForTest> {
  const after = new AroundPublication();
  const scene = await openForTest({ between: after.between });
  await scene.foreignWrite('t', 'secret');
  await writeFile(scene.fs, '/f', 'old');
  await names(scene.fs, '/');
  const come = () => scene.foreignWrite('f', 'secret');
  after.next = () => (comes === 'after' ? come() : Promise.resolve());
  expect(await errnoOfCall(scene.fs.rename('/t', '/f', false))).toBe('ETIMEDOUT');
  await scene.fs.getAttributes('/f');
  scene.asked();
  if (comes === 'before') after.before = come;
  return scene;
}

it.each(['before', 'after'] as const)(
  'where it brings the bytes of a rename that failed, %s that is done, they are not public, and who made the file public hears that it is not [write/unknown]',
  async (comes) => {
    const scene = await withLateRename(comes);

    const told = await errnoOfCall(setXattr(scene.fs, '/f', VISIBILITY, 'public'));

    expect([told, ...(await stateOf(scene))]).toEqual(['EIO', 'secret', 'private']);
    expect(await xattr(scene.fs, '/f', VISIBILITY)).toBe('private');
    expect(await errnoOfCall(setXattr(scene.fs, '/f', VISIBILITY, 'public'))).toBe('none');
    expect(await stateOf(scene)).toEqual(['secret', 'public']);
  },
);

it('where it does not come, to make the file public costs two looks more [write/unknown]', async () => {
  const scene = await withLateRename('not');

  await setXattr(scene.fs, '/f', VISIBILITY, 'public');

  expect(scene.asked()).toEqual(['setVisibility f', 'getVisibility f', 'headObject f']);
  expect(await stateOf(scene)).toEqual(['old', 'public']);
});

it('where it is an earlier try of the very bytes that were saved, the file is public again [write/unknown]', async () => {
  let lateTry: (() => Promise<void>) | null = null;
  const between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async ({ operation }, proceed) => {
      const answer = await proceed();
      if (operation === 'putObject') return { ...answer, mayArriveAgain: true };
      if (operation !== 'setVisibility') return answer;
      await lateTry?.();
      lateTry = null;
      return answer;
    });
  const scene = await withPublicFile({ between });
  lateTry = () => scene.foreignWrite('f', 'new');

  const told = await errnoOfCall(writeFile(scene.fs, '/f', 'new'));

  expect([told, ...(await stateOf(scene))]).toEqual(['none', 'new', 'public']);
});

it('a link that the first of two uploads of another type has taken down, which came only then, is restored by the next [visibility/preserve] [write/unknown]', async () => {
  const scene = await openForTest();
  const { fs, faults, clock } = scene;
  await writeFile(fs, '/f', 'old');
  await setXattr(fs, '/f', VISIBILITY, 'public');
  clock.advance(20_000);
  await names(fs, '/');
  for (const type of ['text/x-first', 'text/x-second']) {
    faults.add({ operation: 'putObject', times: 1, fault: { kind: 'reset' } });
    expect(await errnoOfCall(setXattr(fs, '/f', 'user.mime_type', type))).toBe('EIO');
  }
  await scene.foreignWrite('f', 'old', 'text/x-first');
  expect(await stateOf(scene)).toEqual(['old', 'private']);
  clock.advance(20_000);

  await drained(scene.mounted);

  expect(await stateOf(scene)).toEqual(['old', 'public']);
  expect(await scene.direct.headObject(scene.bucket, 'f')).toMatchObject({ contentType: 'text/x-second' });
});
