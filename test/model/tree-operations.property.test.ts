/** SEMANTICS: what programs see of a tree that others change too is never older than the TTL, and own changes are never lost. */
import * as fc from 'fast-check';
import { it } from 'vitest';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';
import { TreeModel } from './tree-model.ts';
import { treeOperations } from './tree-operations.ts';
import { openWorld, worldChoices } from './world.ts';

it.each([
  ['', 500, false],
  [', with write-back, too [write-back/conflict] [write-back/version]', 100, true],
] as const)(
  'shows a tree as it was less than the TTL ago, own changes at once, and loses nothing that a program has closed%s',
  async (_, runs, writeBack) => {
    await fc.assert(
      fc.asyncProperty(worldChoices, treeOperations, async (choices, operations) => {
        // An ETag that is no MD5 cannot tell others' files from ours when both are stored within seconds.
        const world = await openWorld({
          ...choices,
          behaviours: { ...choices.behaviours, etag: 'md5' },
          // The model knows all names there are.
          conflict: 'fail',
          writeBack,
        });
        try {
          const model = new TreeModel(world);
          for (const operation of operations) await model.run(operation);
          await model.closeAll();
        } finally {
          await world.close();
        }
      }),
      propertySettings(runs),
    );
  },
  PROPERTY_TIMEOUT,
);
