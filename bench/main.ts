/**
 * `npm run bench -- [suite…] [options]`: all suites when none is named. Exit codes: 0 the bars hold, 1 one is missed or a measurement failed,
 * 2 wrong usage, 130 interrupted.
 */
import { access, constants, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openDriverSuite } from './driver/driver-suite.ts';
import { readCommandLine, requireOffered, usageOf, WrongUsage } from './frame/command-line.ts';
import { describeMachine } from './frame/machine.ts';
import { asMarkdown, reportOf, type Report } from './frame/report.ts';
import { asJson } from './frame/report-files.ts';
import { runRounds } from './frame/rounds.ts';
import type { Offers, Suite, SuiteOptions } from './frame/suite.ts';
import { isEnding, undoAll, undoForGood } from './frame/undoing.ts';
import { openReadsSuite } from './reads/reads-suite.ts';
import { openWritesSuite } from './writes/writes-suite.ts';

const EXIT_WRONG_USAGE = 2;
const EXIT_INTERRUPTED = 130;

const suites: ReadonlyMap<string, (options: SuiteOptions) => Promise<Suite>> = new Map([
  ['driver', openDriverSuite],
  ['writes', openWritesSuite],
  ['reads', openReadsSuite],
]);

async function main(parameters: readonly string[]): Promise<number> {
  const { suites: names, rounds, options, json } = readCommandLine(parameters, [...suites.keys()]);
  if (json !== undefined) await requireFolderOf(json);
  const [reports, offers]: [Report[], Offers[]] = [[], []];
  for (const name of names) {
    const suite = await openSuite(name, options);
    offers.push(suite.offers);
    // A word may be meant for another suite; once the last is open, it is not.
    if (offers.length === names.length) requireOffered(options, offers);
    if (suite.stages.length > 0 && suite.subjects.length > 0) {
      const report = await measure(suite, rounds);
      console.log(asMarkdown(report));
      reports.push(report);
      // After each: what took an hour must not be lost by what comes next.
      if (json !== undefined) await writeFile(json, asJson(reports));
    } else {
      // Why it has nothing to do, if that is not what was chosen.
      for (const note of suite.notes) console.error(note);
    }
    await undoAll();
  }
  if (reports.length === 0) throw new WrongUsage('of what was chosen nobody can do anything');
  return reports.every(({ judgements }) => judgements.every(({ holds }) => holds)) ? 0 : 1;
}

function openSuite(name: string, options: SuiteOptions): Promise<Suite> {
  const open = suites.get(name);
  if (open === undefined) throw new Error(`there is no suite ${name}`);
  return open(options);
}

async function measure(suite: Suite, rounds: number): Promise<Report> {
  const measurements = await runRounds(suite, rounds, (line) => {
    console.error(line);
  });
  for (const line of suite.details) console.error(line);
  return reportOf(suite, measurements, { machine: describeMachine(), date: new Date() });
}

/** Before hours of measuring for a file that cannot be written. */
async function requireFolderOf(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new WrongUsage(`--json: no file can be made in ${folder}`, { cause: error });
  });
}

/** The second of them changes nothing: a shell may pass on what everybody in its group has had already. */
function endOnSignals(): void {
  const interrupted = (): void => {
    if (!isEnding()) void undoForGood().finally(() => process.exit(EXIT_INTERRUPTED));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);
}

endOnSignals();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof WrongUsage) {
    console.error(`${error.message}\n${usageOf([...suites.keys()])}`);
    process.exitCode = EXIT_WRONG_USAGE;
  } else if (!isEnding()) throw error;
} finally {
  await undoAll();
}
