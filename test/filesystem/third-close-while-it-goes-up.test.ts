/** SEMANTICS: with write-back three closes of a public file, the first of which goes up without an end: a kill loses neither bytes nor link. */
import { expect, it } from 'vitest';
import { diskNow } from '../support/after-a-crash.ts';
import { edit } from '../support/program-acts.ts';
import { goneOn, silentUploads, stateOf, withPublicFile } from '../support/public-file.ts';
import { textsOf } from '../support/stored-state.ts';

it.each([true, false])(
  'the next mount knows the first as ours, whether it has arrived (%s) or not [write-back/crash] [crash/link]',
  async (arrives) => {
    const uploads = silentUploads(arrives);
    const scene = await withPublicFile({ settings: { writeBack: true }, between: uploads.between });
    await edit(scene.fs, '/f', '1', 0);
    scene.clock.advance(200);
    await uploads.isMade;
    await edit(scene.fs, '/f', '2', 1);
    await edit(scene.fs, '/f', '3', 2);

    const left = await goneOn(await diskNow(scene), scene, { writeBack: true });

    expect(await stateOf(scene)).toEqual(['123', 'public']);
    expect(await textsOf(scene)).toEqual({ f: '123' });
    expect(left).toEqual([]);
  },
);
