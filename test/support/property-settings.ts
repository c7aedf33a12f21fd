/** How many runs has a property, and how is a failure seen again? */
import * as fc from 'fast-check';

/** Every run of `npm test` plays the same: it fails for what was changed. `npm run test:long` searches on, from fresh seeds. */
const SEED = 20_260_719;

/** A failing property that is still being made smaller after this long reports what it has, milliseconds. */
const REPORT_AFTER = 600_000;

/**
 * `runs` runs. A failure prints `{ seed, path }`: FC_SEED and FC_PATH in the environment replay it. FC_SEED=fresh asks for another
 * seed each time, and FC_RUNS overrules `runs`, for a night's search.
 */
export function propertySettings<Values>(runs: number): fc.Parameters<Values> {
  const { FC_SEED, FC_PATH, FC_RUNS } = process.env;
  return {
    numRuns: FC_RUNS === undefined ? runs : Number(FC_RUNS),
    plugins: [fc.interruptAfterTimeLimit(REPORT_AFTER, { failOnInterrupt: true }) as fc.Plugin<Values>],
    ...(FC_SEED === 'fresh' ? {} : { seed: FC_SEED === undefined ? SEED : Number(FC_SEED) }),
    ...(FC_PATH === undefined ? {} : { path: FC_PATH }),
  };
}

/** For vitest: longer than the property gives itself to report. */
export const PROPERTY_TIMEOUT = REPORT_AFTER + 60_000;
