/** Which files do man(1) and the shells want of pailfs, and what is in them? */
import { readFile } from 'node:fs/promises';
import { buildMountHelper } from '../src/cli/mount/mount-helper.ts';
import { buildProgram } from '../src/cli/program.ts';
import { factsOf } from './command-facts.ts';
import { bashCompletion, fishCompletion, zshCompletion } from './completions.ts';
import { manPage } from './man-page.ts';

const PACKAGE = new URL('../package.json', import.meta.url);

/** By their paths in the package. */
export async function systemFiles(): Promise<ReadonlyMap<string, string>> {
  const { version } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { readonly version: string };
  const nobody = (): void => undefined;
  const program = factsOf(buildProgram(version, nobody));
  const helper = factsOf(buildMountHelper(nobody));
  const pages = program.subcommands.map(({ names }) => `${names.join('-')}(1)`);
  const helperPage = `${helper.names.join('-')}(8)`;
  const own = { section: 1, version } as const;
  return new Map([
    ['man/pailfs.1', manPage(program, { ...own, seeAlso: [...pages, helperPage] })],
    ...program.subcommands.map((facts): [string, string] => [
      `man/${facts.names.join('-')}.1`,
      manPage(facts, { ...own, seeAlso: ['pailfs(1)'] }),
    ]),
    [
      'man/mount.fuse.pailfs.8',
      manPage(helper, { section: 8, version, seeAlso: ['pailfs-mount(1)', 'mount(8)', 'fstab(5)'] }),
    ],
    ['completions/pailfs.bash', bashCompletion(program)],
    ['completions/_pailfs', zshCompletion(program)],
    ['completions/pailfs.fish', fishCompletion(program)],
  ]);
}
