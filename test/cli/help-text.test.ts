/** Can a person read what `--help` prints, on an ordinary terminal? */
import { expect, it } from 'vitest';
import { factsOf, withSubcommands } from '../../scripts/command-facts.ts';
import { buildMountHelper } from '../../src/cli/mount/mount-helper.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { widthOf } from '../../src/cli/screen/screen-text.ts';
import { runHere } from '../support/run-here.ts';

const all = withSubcommands(factsOf(buildProgram('0', () => undefined)));

it.each(all.map(({ names }) => names.slice(1).join(' ')))(
  'the help of pailfs %s fits 80 columns',
  async (name) => {
    const { code, stdout } = await runHere([...name.split(' '), '--help'].filter((word) => word !== ''));

    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => widthOf(line) > 80)).toEqual([]);
  },
);

it('so does that of the helper for mount(8)', () => {
  let shown = '';
  const helper = buildMountHelper(() => undefined);
  helper.configureOutput({ writeOut: (text) => void (shown += text) });

  helper.outputHelp();

  expect(shown).toContain('Examples:');
  expect(shown.split('\n').filter((line) => widthOf(line) > 80)).toEqual([]);
});

it('what an example does stands beside it, or below where there is no room', async () => {
  const { stdout } = await runHere(['mount', '--help']);

  expect(stdout).toMatch(/^ {2}pailfs mount photos ~\/photos -f {2,}in front; Ctrl-C unmounts$/m);
  expect(stdout).toMatch(/^ {2}photos \/mnt\/photos fuse\.pailfs .* 0 0\n {40,}a line of \/etc\/fstab$/m);
});
