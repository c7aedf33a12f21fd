/** SEMANTICS: a file is renamed over another, and the service stores the copy without saying so: the other is gone by then, so there is no way but on. */
import { expect, it } from 'vitest';
import { names, openForTest, readFile } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf, visibilityOf } from '../support/stored-state.ts';

it.each(['public', 'private'] as const)(
  'the rename of a %s file is made all the same, with its link [rename/undo] [visibility/rename]',
  async (visibility) => {
    const scene = await openForTest();
    const { fs, faults, direct, bucket } = scene;
    await scene.foreignWrite('f', 'source');
    await scene.foreignWrite('g', 'target');
    await direct.setVisibility(bucket, 'f', visibility);
    await names(fs, '/');
    faults.add({ operation: 'putObject', key: 'g', times: Infinity, fault: { kind: 'lost-answer' } });

    expect(await errnoOfCall(fs.rename('/f', '/g', false))).toBe('none');

    expect(await textsOf(scene)).toEqual({ g: 'source' });
    expect(await visibilityOf(scene, 'g')).toBe(visibility);
    expect((await readFile(fs, '/g')).toString()).toBe('source');
  },
);
