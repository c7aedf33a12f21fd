/** What a person may ask the bench for; anything else is refused before hours are spent on it. */
import { describe, expect, it } from 'vitest';
import { readCommandLine, requireOffered, WrongUsage } from '../../bench/frame/command-line.ts';
import type { Offers, SuiteOptions } from '../../bench/frame/suite.ts';

const SUITES = ['writes', 'reads'];
const EVERYTHING: SuiteOptions = { workloads: [], subjects: [], profiles: [], scale: 1 };

describe('the words after npm run bench', () => {
  it('are three rounds of all suites when there are none', () => {
    expect(readCommandLine([], SUITES)).toEqual({
      suites: SUITES,
      rounds: 3,
      options: EVERYTHING,
      json: undefined,
    });
  });

  it('choose suites, rounds, names, a scale and a file', () => {
    const words = ['reads', '--rounds', '5', '--workloads', 'find, cat of', '--subjects', 'pailfs,floor'];
    const more = ['--profile', '25 ms', '--workloads', 'grep', '--scale', '0.05', '--json', 'a.json'];

    expect(readCommandLine([...words, ...more], SUITES)).toEqual({
      suites: ['reads'],
      rounds: 5,
      options: {
        workloads: ['find', 'cat of', 'grep'],
        subjects: ['pailfs', 'floor'],
        profiles: ['25 ms'],
        scale: 0.05,
      },
      json: 'a.json',
    });
  });

  it.each([
    [['drivers'], 'there is no suite "drivers"'],
    [['--rounds', '0'], '--rounds takes a whole number from 1 on, not "0"'],
    [['--rounds', '1.5'], '--rounds'],
    [['--rounds', 'many'], '--rounds'],
    [['--rounds', ''], '--rounds'],
    [['--scale', '0'], '--scale takes a number above 0, not "0"'],
    [['--scale', 'Infinity'], '--scale'],
    [['--scale', 'small'], '--scale'],
    [['--subject', 'pailfs'], "Unknown option '--subject'"],
    [['--json'], '--json'],
  ])('%j are refused', (words, message) => {
    const read = (): unknown => readCommandLine(words, SUITES);

    expect(read).toThrow(WrongUsage);
    expect(read).toThrow(message);
  });
});

describe('a word that chooses', () => {
  const writes: Offers = {
    workloads: ['untar, 1 ms'],
    subjects: ['pailfs', 'rclone off'],
    profiles: ['1 ms'],
  };
  const driver: Offers = { workloads: ['getattr'], subjects: ['kernel'], profiles: [] };

  it('may be part of a name of any of the suites', () => {
    const options = { ...EVERYTHING, workloads: ['tar', 'getattr'], subjects: ['rclone'], profiles: ['1'] };

    expect(() => {
      requireOffered(options, [writes, driver]);
    }).not.toThrow();
  });

  it.each([
    [
      { workloads: ['untar', 'untra'] },
      'none of the workloads has "untra" in its name: untar, 1 ms; getattr',
    ],
    [{ subjects: ['rclone on'] }, 'none of the subjects has "rclone on" in its name'],
    [{ profiles: ['50 ms'] }, 'none of the profiles has "50 ms" in its name: 1 ms'],
  ])('%j is refused when no name has it', (chosen, message) => {
    expect(() => {
      requireOffered({ ...EVERYTHING, ...chosen }, [writes, driver]);
    }).toThrow(message);
  });

  it('of a network does not matter to a suite that has none', () => {
    expect(() => {
      requireOffered({ ...EVERYTHING, profiles: ['50 ms'] }, [driver]);
    }).not.toThrow();
  });
});
