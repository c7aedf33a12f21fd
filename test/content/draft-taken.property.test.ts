/** Are the bytes that a draft has taken always what it gives, however late the disk takes them, and whoever asks meanwhile? */
import { mkdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { Draft } from '../../src/content/draft.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { FileModel } from '../support/file-model.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LONG = 64 * 1024;
const FARTHEST = 3 * LONG;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ at: fc.nat(FARTHEST), size: fc.integer({ min: LONG - 2, max: LONG + 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ at: fc.nat(FARTHEST), size: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ cut: fc.nat(FARTHEST) }) },
  { weight: 2, arbitrary: fc.record({ read: fc.nat(FARTHEST) }) },
  { weight: 1, arbitrary: fc.constant('md5' as const) },
);

it('gives what was written last, as a program sees it that goes on once its bytes are taken', async () => {
  const directory = `${await temporaryDirectory()}/drafts`;
  await mkdir(directory);
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 14 }),
      fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
      async (steps, delays) => {
        const files = new FailingDisk();
        let calls = 0;
        files.beforeWrite = async () => {
          for (let turns = delays[(calls += 1) % delays.length] ?? 0; turns > 0; turns -= 1) await nextTurn();
        };
        const folder = new DraftFolder(directory, files);
        const draft = new Draft(await folder.create(draftFactsOf('f')), files.budget().open());
        const model = new FileModel();
        for (const [index, next] of steps.entries()) {
          if (next === 'md5') await draft.md5();
          else if ('cut' in next) {
            model.resize(next.cut);
            await draft.truncate(next.cut);
          } else if ('read' in next) {
            const into = Buffer.alloc(LONG);
            const count = await draft.read(into, next.read);
            const expected = model.bytes.subarray(next.read, next.read + LONG);
            expect(into.subarray(0, count).equals(expected)).toBe(true);
          } else {
            const data = patternedBytes(next.size, index + 1);
            model.write(data, next.at);
            await new Promise<void>((resolve, reject) => {
              draft.write(data, next.at, resolve).then(resolve, reject);
            });
            expect(draft.size).toBe(model.bytes.length);
          }
        }
        const whole = Buffer.alloc(model.bytes.length + 1);
        expect(await draft.read(whole, 0)).toBe(model.bytes.length);
        expect(whole.subarray(0, -1).equals(model.bytes)).toBe(true);
        await draft.remove();
      },
    ),
    { numRuns: 60 },
  );
});
