/**
 * SEMANTICS: a file of a folder that is renamed, or goes back since that failed, is listed under its new name before the mount has heard that
 * it is stored there: who writes to it then writes to the renamed file.
 */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { hasEnded } from '../support/held-disk.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { closing, names, openForTest } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, openToRewrite, writeAt } from '../support/program-acts.ts';
import { signal } from '../support/signal.ts';
import { textsOf } from '../support/stored-state.ts';

const KINDS = [
  { how: 'in place', open: openToEdit, text: 'MINErs' },
  { how: 'anew', open: openToRewrite, text: 'MINE' },
];

for (const writeBack of [false, true])
  it.each(KINDS)(
    `$how, while the folder is renamed (write-back ${writeBack}) [rename/meanwhile] [write/close]`,
    async ({ open, text }) => {
      const [stored, told] = [signal(), signal()];
      const scene = await openForTest({
        settings: { writeBack, metadataTtl: 0 },
        between: (inner) =>
          new InterceptedService(inner, async ({ operation, key }, proceed) => {
            const answer = await proceed();
            if (operation !== 'putObject' || key !== 'e/x') return answer;
            stored.give();
            await told.given;
            return answer;
          }),
      });
      const { fs, mounted } = scene;
      await scene.foreignWrite('d/x', 'theirs');
      await fs.mkdir('/e', 0o755);
      const renamed = errnoOfCall(fs.rename('/d', '/e', false));
      await stored.given;
      expect(await names(fs, '/e')).toEqual(['x']);

      const opened = open(fs, '/e/x');
      await hasEnded(opened);
      told.give();
      const handle = await opened;
      await closing(fs, handle, () => writeAt(fs, handle, 'MINE'));

      expect(await renamed).toBe('none');
      await drained(mounted);
      expect(await textsOf(scene)).toEqual({ 'e/x': text });
    },
  );
