/** SEMANTICS: with write-back an upload has found a conflict, and a program closes what it has written anew before the edit has a name of its own. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { holdCommit } from '../support/journal-commits.ts';
import { openForTest } from '../support/open-for-test.ts';
import { edit, LogForTest, openToRewrite, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it('the close replaces the edit, of which nothing is kept beside, nor said to be [write-back/newest] [write-back/conflict]', async () => {
  const held = new HeldAnswers();
  const log = new LogForTest();
  const scene = await openForTest({ settings: { writeBack: true }, log, between: held.between });
  const { fs } = scene;
  await scene.foreignWrite('f', 'base');
  await edit(fs, '/f', 'B', 0);
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'anew');
  await scene.foreignWrite('f', 'theirs');
  const look = held.hold('headObject');
  const storing = drained(scene.mounted);
  await look.made;
  const lookForName = held.hold('headObject');
  look.letGo();
  await lookForName.made;
  const commit = holdCommit('put draft/', '"queued"');
  const closing = fs.flush(handle);
  await commit.made;

  lookForName.letGo();
  // The name is free, and the close is waited for.
  await new Promise((resolve) => setTimeout(resolve, 50));
  commit.letGo();
  await closing;

  await storing;
  await fs.release(handle);
  await drained(scene.mounted);
  expect(await textsOf(scene)).toEqual({ f: 'anew' });
  expect(log.about('both are kept')).toEqual([]);
});
