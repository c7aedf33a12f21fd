/**
 * Which tests failed, where, and with which words? A reporter for vitest, beside the one that people read: it writes
 * `{ passed, failures: [{ file, name, errors: [{ message, places, diff }] }] }` to the file that PAILFS_TEST_REPORT names. A failure is a
 * test, a hook, a file that could not be loaded, or an error that nobody caught.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from './steps.mjs';

export default class FailureReport {
  async onTestRunEnd(modules, unhandledErrors) {
    const passed = modules.flatMap((module) => [...module.children.allTests('passed')]).length;
    const failures = [
      ...modules.flatMap(failuresOf),
      ...(unhandledErrors.length === 0
        ? []
        : [failure('somewhere', 'an error that nobody caught', unhandledErrors)]),
    ];
    await writeFile(process.env.PAILFS_TEST_REPORT, JSON.stringify({ passed, failures }));
  }
}

function failuresOf(module) {
  const file = module.relativeModuleId;
  const failedTests = [...module.children.allTests('failed')];
  const failedSuites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  return [
    ...(module.errors().length > 0 ? [failure(file, 'the file itself', module.errors())] : []),
    ...failedSuites.map((suite) => failure(file, suite.fullName, suite.errors())),
    ...failedTests.map((test) => failure(file, test.fullName, test.result().errors)),
  ];
}

function failure(file, name, errors) {
  return { file, name, errors: errors.map(described) };
}

/** `places`: the lines of this project on the way to the error, the innermost first. */
function described({ message, stack, stacks = [], diff = '' }) {
  return {
    message: plain(message ?? stack ?? 'no message'),
    places: stacks
      .map(({ file, line }) => ({ file: path.relative(ROOT, file), line }))
      .filter(({ file }) => !file.startsWith('..') && !file.startsWith('node_modules'))
      .map(({ file, line }) => `${file}:${line}`),
    diff: plain(diff),
  };
}

/** Colours would be cut through where lines are. */
function plain(text) {
  return stripVTControlCharacters(text);
}
