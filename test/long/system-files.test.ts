/** Do the programs that read what pailfs gives them understand it? Pages, completions and units; bash: test/docs/. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { shell } from '../support/shell.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FINE = { exit: 0, output: '', errors: '' };

it('groff finds nothing to complain of in the pages for man(1)', async () => {
  expect(await shell(ROOT, 'groff -man -ww -z man/*')).toEqual(FINE);
});

it('fish completes commands and options, with what they are', async () => {
  const script =
    'source completions/pailfs.fish; for line in "pailfs buc" "pailfs bucket l" "pailfs unmount --la"; complete -C $line; end';

  const { output, errors } = await shell(
    ROOT,
    'HOME="$2" exec fish --no-config -c "$1"',
    script,
    await temporaryDirectory(),
  );

  expect(errors).toBe('');
  expect(output.trim().split('\n')).toEqual([
    expect.stringMatching(/^bucket\tlist, create/),
    expect.stringMatching(/^list\tall buckets/),
    expect.stringMatching(/^--lazy\t/),
  ]);
});

it('zsh completes commands and options', async () => {
  // zsh completes only on a terminal: zpty is one. A tab after a beginning that only one word has writes the rest of it.
  const script = String.raw`
    zmodload zsh/zpty; zpty terminal 'zsh -f -i'
    zpty -w terminal 'fpath=('"$PWD"'/completions $fpath); autoload -Uz compinit; compinit -u -D'
    zpty -w terminal 'pailfs() { print -r -- "said $@." }'
    zpty -w -n terminal $'pailfs unm\t--la\t\n'; zpty -w terminal exit
    while zpty -r terminal line; do print -r -- "$line"; done`;

  const { output } = await shell(ROOT, 'HOME="$2" exec zsh -f -c "$1"', script, await temporaryDirectory());

  expect(output).toMatch(/^said unmount --lazy *\.\r*$/m);
});

it.each(['system', 'user'])('systemd takes the unit for %s', async (manager) => {
  const runtime = await temporaryDirectory();
  await mkdir(join(runtime, 'units'));

  const verified = await shell(
    ROOT,
    `cp systemd/$1/pailfs@.service "$2/units/"
    XDG_RUNTIME_DIR="$2" exec systemd-analyze --$1 --man=no verify "$2/units/pailfs@my-photos.service"`,
    manager,
    runtime,
  );

  expect(verified).toEqual(FINE);
});
