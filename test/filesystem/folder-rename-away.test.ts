/** SEMANTICS: the service goes away for good while a folder is renamed, when most of its files are moved. */
import { expect, it } from 'vitest';
import { Refusal } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest } from '../support/open-for-test.ts';
import { errnoOfCall } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

const FILES = Array.from({ length: 60 }, (_, number) => `f${number}`);
/** Before the service goes away. */
const STORED = 40;
/** As many files go at once, and every other request begins when the one before has ended. */
const AT_ONCE = 8;

it.each([
  ['gives no answer', 'timeout', undefined, 'ETIMEDOUT'],
  ['cannot be reached', 'unavailable', undefined, 'EIO'],
  ['answers 503', 'unavailable', 503, 'EIO'],
] as const)(
  'and %s: the program hears of it after two waits for the service, not after one for each file [rename/undo]',
  async (_what, kind, status, errno) => {
    let stored = 0;
    let unanswered = 0;
    const scene = await openForTest({
      between: (inner) =>
        new InterceptedService(inner, async ({ operation }, proceed) => {
          if (operation === 'putObject') stored += 1;
          if (stored <= STORED) return proceed();
          unanswered += 1;
          await new Promise(setImmediate);
          throw new Refusal(kind, 'away', { operation, status });
        }),
    });
    for (const name of FILES) await scene.foreignWrite(`d/${name}`, name);

    const code = await errnoOfCall(scene.fs.rename('/d', '/e', false));

    expect(code).toBe(errno);
    // Of what was under way, and of the undoing of it, and the first look whether anything can go back.
    expect(unanswered).toBeLessThanOrEqual(4 * AT_ONCE);
    const texts = await textsOf(scene);
    for (const name of FILES) expect(texts[`d/${name}`] ?? texts[`e/${name}`]).toBe(name);
  },
);
