/** `npm run bench -- [suite…] [options]`: all suites when none is named. Exit codes: 0 the bars hold, 1 one is missed, 2 wrong usage. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openDriverSuite } from './driver/driver-suite.ts';
import { describeMachine } from './frame/machine.ts';
import { asMarkdown, reportOf, type Report } from './frame/report.ts';
import { asJson } from './frame/report-files.ts';
import { runRounds } from './frame/rounds.ts';
import type { Suite, SuiteOptions } from './frame/suite.ts';
import { openReadsSuite } from './reads/reads-suite.ts';
import { openWritesSuite } from './writes/writes-suite.ts';

const DEFAULT_ROUNDS = 3;
const EXIT_INTERRUPTED = 130;

const suites: ReadonlyMap<string, (options: SuiteOptions) => Promise<Suite>> = new Map([
  ['driver', openDriverSuite],
  ['writes', openWritesSuite],
  ['reads', openReadsSuite],
]);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
      workloads: { type: 'string', default: '' },
      subjects: { type: 'string', default: '' },
      profile: { type: 'string', default: '' },
      scale: { type: 'string', default: '1' },
      json: { type: 'string' },
    },
  });
  const [rounds, scale] = [Number(values.rounds), Number(values.scale)];
  const names = positionals.length === 0 ? [...suites.keys()] : positionals;
  const isUsable = Number.isInteger(rounds) && rounds >= 1 && scale > 0;
  if (!isUsable || names.some((name) => !suites.has(name))) {
    console.error(
      `usage: npm run bench -- [${[...suites.keys()].join('|')}] [--rounds N] [--workloads WORDS,…] [--subjects WORDS,…] [--profile WORDS,…] [--scale FACTOR] [--json FILE]`,
    );
    return 2;
  }
  const options: SuiteOptions = {
    workloads: words(values.workloads),
    subjects: words(values.subjects),
    profiles: words(values.profile),
    scale,
  };
  const reports: Report[] = [];
  for (const name of names) {
    const report = await measure(name, options, rounds);
    console.log(asMarkdown(report));
    reports.push(report);
  }
  if (values.json !== undefined) await writeFile(values.json, asJson(reports));
  return reports.every(({ judgements }) => judgements.every(({ holds }) => holds)) ? 0 : 1;
}

async function measure(name: string, options: SuiteOptions, rounds: number): Promise<Report> {
  const openSuite = suites.get(name);
  if (openSuite === undefined) throw new Error(`there is no suite ${name}`);
  const suite = await openSuite(options);
  let end: Promise<void> | undefined;
  // A shell may pass on what everybody in its group has had already: the second signal is to change nothing.
  const interrupted = (): void => {
    end ??= suite.close().finally(() => process.exit(EXIT_INTERRUPTED));
  };
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    const measurements = await runRounds(suite, rounds, (line) => {
      console.error(line);
    });
    for (const line of suite.details) console.error(line);
    return reportOf(suite, measurements, { machine: describeMachine(), date: new Date() });
  } finally {
    await suite.close();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

function words(text: string): readonly string[] {
  return text.split(',').filter((word) => word !== '');
}

process.exitCode = await main();
