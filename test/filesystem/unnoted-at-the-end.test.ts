/** SEMANTICS: the local disk takes no note of what nobody wants any more, also at the end of the mount: what the next one finds named is there. */
import { expect, it } from 'vitest';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { LogForTest } from '../support/program-acts.ts';

it('no bytes are said to be gone (--write-back) [write-back/crash]', async () => {
  const scene = await openForTest({ settings: { writeBack: true } });
  const { fs, mounted, store } = scene;
  store.changeAccount({ gracePeriod: true });
  await writeFile(fs, '/f', 'promised');
  await writeFile(fs, '/other', 'other');
  const takesThemAgain = refuseCommits('draft');
  await fs.rename('/other', '/f', false);
  await mounted.close({ patience: 0 });
  takesThemAgain();
  const log = new LogForTest();

  await mountOver(await diskNow(scene), scene, { settings: { writeBack: true }, log });

  expect(log.about('unsent bytes of a file are gone')).toEqual([]);
});
