/** SEMANTICS: a file whose link is owed is removed: whose is the link of what others store there? */
import { expect, it } from 'vitest';
import { diskNow } from '../support/after-a-crash.ts';
import { goneOn, stateOf, withOwedLink } from '../support/public-file.ts';

it('nobody makes public what others store under the name of a removed file, though it is the same, also after a kill [crash/link]', async () => {
  const scene = await withOwedLink();
  await scene.fs.unlink('/f');
  const disk = await diskNow(scene);
  await scene.foreignWrite('f', 'Old');

  await goneOn(disk, scene);

  expect(await stateOf(scene)).toEqual(['Old', 'private']);
});
