/** SEMANTICS: a folder is renamed as a whole, or not at all and the program hears why, whatever happens in the middle. */
import * as fc from 'fast-check';
import { it } from 'vitest';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';
import { Disturber } from './tree-renames-disturbed.ts';
import { RENAME_LIMIT } from './tree-renames-model.ts';
import { firstKeys, renameTreeOperations } from './tree-renames-operations.ts';
import { TreeRenames } from './tree-renames-play.ts';
import { openWorld, worldChoices } from './world.ts';

it(
  'renames folders as a whole or not at all, with what is open in them, and leaves what others add [rename/folders] [rename/undo]',
  async () => {
    await fc.assert(
      fc.asyncProperty(worldChoices, firstKeys, renameTreeOperations, async (choices, keys, operations) => {
        const disturber = new Disturber();
        const world = await openWorld({
          ...choices,
          renameLimit: RENAME_LIMIT,
          between: (service) => disturber.between(service),
        });
        try {
          const play = new TreeRenames(world, disturber);
          await play.begin(keys);
          for (const operation of operations) await play.run(operation);
          await play.end();
        } finally {
          await world.close();
        }
      }),
      propertySettings(80),
    );
  },
  PROPERTY_TIMEOUT,
);
