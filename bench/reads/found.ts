/** Did a program find what it should? From its output; a subject that shows anything else is not measured. */

/** Files by name and what is said of each, such as sizes. */
export type Found = ReadonlyMap<string, string>;

const LONG_LINE = /^-\S+ +\d+ +\S+ +\S+ +(\d+) +\S+ +\d+ +\S+ (.*)$/;
const SUM_LINE = /^([0-9a-f]{32}) {2}(.*)$/;

/** Sizes by name, from `ls -l`; its other lines are left out. */
export const listedSizes = (output: string): Found => foundIn(output, LONG_LINE);

/** Sums by path, from md5sum(1). */
export const foundSums = (output: string): Found => foundIn(output, SUM_LINE);

/** Its lines. */
export const foundLines = (output: string): Found =>
  new Map(linesOf(output).map((line): [string, string] => [line, '']));

/** Throws with the first difference. */
export function requireFound(found: Found, expected: Found): void {
  for (const [name, value] of expected) {
    const said = found.get(name);
    if (said !== value)
      throw new Error(`${name} should be there with "${value}", but ${said ?? 'it is not'}`);
  }
  if (found.size === expected.size) return;
  const odd = [...found.keys()].find((name) => !expected.has(name));
  throw new Error(`${odd ?? 'something'} should not be there`);
}

function foundIn(output: string, pattern: RegExp): Found {
  const entries = linesOf(output).flatMap((line): [string, string][] => {
    const [, value, name] = pattern.exec(line) ?? [];
    return value === undefined || name === undefined ? [] : [[name, value]];
  });
  const found = new Map(entries);
  if (found.size < entries.length) throw new Error('a name is there twice');
  return found;
}

function linesOf(output: string): readonly string[] {
  return output.split('\n').filter((line) => line !== '');
}
