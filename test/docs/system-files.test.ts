/** Do the pages for man(1) and the completions of shells say what the program takes? Those of zsh and fish: test/long/. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { systemFiles } from '../../scripts/system-pages.ts';
import { shell } from '../support/shell.ts';

const ROOT = new URL('../../', import.meta.url);

it('man pages and completions are those of the commands that there are', async () => {
  const made = await systemFiles();

  const stored = new Map<string, string>();
  for (const folder of ['man', 'completions']) {
    for (const name of await readdir(new URL(folder, ROOT))) {
      stored.set(`${folder}/${name}`, await readFile(new URL(`${folder}/${name}`, ROOT), 'utf8'));
    }
  }
  expect([...stored.keys()].sort(), '"npm run pages" writes them anew').toEqual([...made.keys()].sort());
  for (const [path, text] of made) expect(stored.get(path), `"npm run pages" writes ${path} anew`).toBe(text);
});

it('npm installs each page for man(1), and all that the system wants is in the package', async () => {
  const text = await readFile(new URL('package.json', ROOT), 'utf8');
  const { man, files } = JSON.parse(text) as { readonly man: string[]; readonly files: string[] };

  const pages = (await readdir(new URL('man', ROOT))).map((name) => `./man/${name}`);
  expect(man, '"npm run pages" writes the list "man" of package.json anew').toEqual(pages.sort());
  expect(files).toEqual(expect.arrayContaining(['man', 'completions', 'systemd']));
});

describe('completion in bash', () => {
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const script = fileURLToPath(new URL('completions/pailfs.bash', ROOT));
    const { output, errors } = await shell(
      '/',
      `exec bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pailfs; echo "\${COMPREPLY[@]}"' bash "$@"`,
      script,
      'pailfs',
      ...words,
    );
    expect(errors).toBe('');
    return output.trim().split(' ');
  };

  it('knows commands, and those below them', async () => {
    expect(await complete('unm')).toEqual(['unmount']);
    expect(await complete('bucket', '')).toEqual(
      expect.arrayContaining(['list', 'create', 'info', 'delete']),
    );
    expect(await complete('bucket', 'create', '')).not.toContain('list');
  });

  it('knows the options of a command, and no secret among them', async () => {
    expect(await complete('unmount', '--l')).toEqual(['--leave-pending', '--lazy']);
    expect(await complete('mount', 'photos', '/mnt', '--se')).toEqual(['']);
  });

  it('leaves the value of an option to file names', async () => {
    expect(await complete('mount', '--config', '')).toEqual(['']);
  });
});
