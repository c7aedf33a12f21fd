/**
 * SEMANTICS: who has a folder for himself sees there what a local disk would show, to the byte, while others list, read and refresh all there
 * is, have what waits tried again, and time passes: over a service that answers in any order.
 */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { names, openForTest, readFile } from '../support/open-for-test.ts';
import { PROPERTY_TIMEOUT, propertySettings } from '../support/property-settings.ts';
import { diceOf, hoppingService, hops } from './hopping-service.ts';
import { OwnFolderProgram } from './own-folder-program.ts';

const PROGRAMS = 3;
const STEPS = 40;
/** Turns of the event loop after which each of the others does something again, at most. */
const MOST_REST = 12;
/** Milliseconds that pass in one of these. */
const MOST_PASSING = 1500;

const plays = fc.record({
  seed: fc.nat(),
  writeBack: fc.boolean(),
  metadataTtl: fc.constantFrom(0, 100, 10_000),
  folders: fc.constantFrom('implicit', 'lasting', 'vanishing'),
});

type Play = typeof plays extends fc.Arbitrary<infer Value> ? Value : never;

it(
  'shows each program in its own folder what a local disk would, whatever goes on beside it [fresh/own-changes] [folders/stay]',
  { timeout: PROPERTY_TIMEOUT },
  async () => {
    await fc.assert(fc.asyncProperty(plays, playOnce), propertySettings(40));
  },
);

async function playOnce({ seed, writeBack, metadataTtl, folders }: Play): Promise<void> {
  const dice = diceOf(seed);
  const scene = await openForTest({
    store: { behaviours: { folders } },
    settings: { writeBack, metadataTtl },
    between: (service) => hoppingService(service, dice, 0),
  });
  const { fs, mounted, clock } = scene;
  const programs: OwnFolderProgram[] = [];
  for (let program = 0; program < PROGRAMS; program += 1) {
    await fs.mkdir(`/p${program}`, 0o755);
    programs.push(new OwnFolderProgram(fs, dice, `/p${program}`));
  }
  const paths = (): readonly string[] => ['/', ...programs.flatMap((program) => program.paths)];
  const some = (): string => paths()[dice(paths().length)] ?? '/';
  let isOn = true;
  const beside = async (act: () => unknown): Promise<void> => {
    while (isOn) {
      await hops(1 + dice(MOST_REST));
      // What it looks at may go just then.
      await Promise.resolve(act()).catch(() => undefined);
    }
  };
  const others = [
    beside(() => names(fs, '/')),
    beside(() => names(fs, some())),
    beside(() => fs.getAttributes(some())),
    beside(() => readFile(fs, some())),
    beside(() => {
      mounted.refresh(some());
    }),
    beside(() => mounted.unsent.retry(null)),
    beside(() => {
      clock.advance(dice(MOST_PASSING));
    }),
  ];
  try {
    await Promise.all(programs.map((program) => program.play(STEPS)));
  } finally {
    isOn = false;
    await Promise.all(others);
  }
  for (const program of programs) await program.expectAll((path) => readFile(fs, path));
  expect(await mounted.close({ patience: 60_000 })).toEqual([]);
  for (const program of programs) await program.expectAll((path) => scene.stored(path.slice(1)));
}
