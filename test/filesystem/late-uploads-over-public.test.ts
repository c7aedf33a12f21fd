/** SEMANTICS: an upload whose end nobody knows arrives just when a file was made public, and makes it private. What programs were told is so. */
import { expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { errnoOfCall, setXattr, xattr } from '../support/program-acts.ts';
import { stateOf, withPublicFile } from '../support/public-file.ts';

const VISIBILITY = 'user.pailfs.visibility';

/** What follows the next publication. */
class AfterPublication {
  next: (() => Promise<void>) | null = null;

  readonly between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async ({ operation, key }, proceed) => {
      if (operation === 'putObject' && key === 'f' && this.next !== null)
        throw new Refusal('timeout', 'no answer', { operation, subject: key });
      const answer = await proceed();
      const { next } = this;
      if (operation !== 'setVisibility' || next === null) return answer;
      this.next = null;
      await next();
      return answer;
    });
}

/** /f holds `old`; a rename of the private /t over it had no answer, and may come yet: when `/f` was made public, if it `comes`. */
async function withLateRename(comes: boolean): Promise<FileSystemForTest> {
  const after = new AfterPublication();
  const scene = await openForTest({ between: after.between });
  await scene.foreignWrite('t', 'secret');
  await writeFile(scene.fs, '/f', 'old');
  await names(scene.fs, '/');
  after.next = () => (comes ? scene.foreignWrite('f', 'secret') : Promise.resolve());
  expect(await errnoOfCall(scene.fs.rename('/t', '/f', false))).toBe('ETIMEDOUT');
  await scene.fs.getAttributes('/f');
  scene.asked();
  return scene;
}

it('where it brings the bytes of a rename that failed, they are not published, and who made the file public hears that it is not [write/unknown]', async () => {
  const scene = await withLateRename(true);

  const told = await errnoOfCall(setXattr(scene.fs, '/f', VISIBILITY, 'public'));

  expect([told, ...(await stateOf(scene))]).toEqual(['EIO', 'secret', 'private']);
  expect(await xattr(scene.fs, '/f', VISIBILITY)).toBe('private');
  expect(await errnoOfCall(setXattr(scene.fs, '/f', VISIBILITY, 'public'))).toBe('none');
  expect(await stateOf(scene)).toEqual(['secret', 'public']);
});

it('where it does not come, to make the file public costs one look more [write/unknown]', async () => {
  const scene = await withLateRename(false);

  await setXattr(scene.fs, '/f', VISIBILITY, 'public');

  expect(scene.asked()).toEqual(['setVisibility f', 'getVisibility f']);
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
