/** SEMANTICS: a file made here a moment ago takes the visibility of what it is renamed over, whatever names it had on the way. */
import { expect, it } from 'vitest';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { stateOf } from '../support/public-file.ts';

it.each([
  { after: 30_000, visibility: 'public' },
  { after: 61_000, visibility: 'private' },
])(
  'it is $visibility when it was made $after ms before and had another name since [visibility/rename]',
  async ({ after, visibility }) => {
    const scene = await openForTest();
    const { fs, clock } = scene;
    await scene.foreignWrite('f', 'old');
    await scene.direct.setVisibility(scene.bucket, 'f', 'public');
    await writeFile(fs, '/made', 'new');
    await fs.rename('/made', '/ready', false);
    clock.advance(after);

    await fs.rename('/ready', '/f', false);

    expect(await stateOf(scene)).toEqual(['new', visibility]);
  },
);
