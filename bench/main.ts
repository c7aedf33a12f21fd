/** `npm run bench -- <suite> [options]`. Exit codes: 0 the bars hold, 1 one is missed, 2 wrong usage. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openDriverSuite } from './driver/driver-suite.ts';
import { describeMachine } from './frame/machine.ts';
import { asJson, asMarkdown, reportOf } from './frame/report.ts';
import { runRounds } from './frame/rounds.ts';
import type { Suite, SuiteOptions } from './frame/suite.ts';
import { openWritesSuite } from './writes/writes-suite.ts';

const DEFAULT_ROUNDS = 3;
const EXIT_INTERRUPTED = 130;

const suites: ReadonlyMap<string, (options: SuiteOptions) => Promise<Suite>> = new Map([
  ['driver', openDriverSuite],
  ['writes', openWritesSuite],
]);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
      only: { type: 'string', default: '' },
      subjects: { type: 'string', default: '' },
      scale: { type: 'string', default: '1' },
      json: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds);
  const openSuite = suites.get(positionals[0] ?? '');
  const scale = Number(values.scale);
  const isUsable = Number.isInteger(rounds) && rounds >= 1 && scale > 0;
  if (openSuite === undefined || positionals.length !== 1 || !isUsable) {
    console.error(
      `usage: npm run bench -- ${[...suites.keys()].join('|')} [--rounds N] [--only WORDS,…] [--subjects WORDS,…] [--scale FACTOR] [--json FILE]`,
    );
    return 2;
  }
  const suite = await openSuite({ only: words(values.only), subjects: words(values.subjects), scale });
  const interrupted = (): void => {
    void suite.close().finally(() => process.exit(EXIT_INTERRUPTED));
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const measurements = await runRounds(suite, rounds, (line) => {
      console.error(line);
    });
    const report = reportOf(suite, measurements, { machine: describeMachine(), date: new Date() });
    console.log(asMarkdown(report));
    if (values.json !== undefined) await writeFile(values.json, asJson(report));
    return report.judgements.every(({ holds }) => holds) ? 0 : 1;
  } finally {
    await suite.close();
  }
}

function words(text: string): readonly string[] {
  return text.split(',').filter((word) => word !== '');
}

process.exitCode = await main();
