/** SEMANTICS: the process ends in the rename of a file before the service has the copy: its program has seen nothing of it, so nothing comes of it. */
import { expect, it } from 'vitest';
import { mountOver } from '../support/after-a-crash.ts';
import { ended, killedInRename } from '../support/cut-rename.ts';
import { drained } from '../support/drained.ts';
import { textsOf } from '../support/stored-state.ts';

it.each([{}, { g: 'target' }])(
  'the file keeps its name, and what has the new one (%o) stays [rename/crash]',
  async (target) => {
    const stored = { f: 'source', ...target };
    const { scene, disk } = await killedInRename({
      stored,
      promised: {},
      from: '/f',
      to: '/g',
      at: 'before',
    });

    const next = await mountOver(disk, scene);
    await ended(next);
    await drained(next);

    expect(await textsOf(scene)).toEqual(stored);
    expect(await next.unsent.list()).toEqual([]);
  },
);
