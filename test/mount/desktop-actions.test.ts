/**
 * What do "Copy link", "Make public" and "Make private" do when a file manager runs them? The build of `npm test`, installed into
 * a home, and run as Thunar and Nautilus do; clipboard and notifications are programs of the test.
 */
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CommandLine, type Outcome } from '../support/command-line.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

const INSTALL = fileURLToPath(new URL('../../scripts/desktop/install.mjs', import.meta.url));
const NAMES = [
  'a b.txt',
  "it's.txt",
  '"q" $HOME `x`.txt',
  '-n.txt',
  'photos:c.txt',
  '50%F.txt',
  'two\nlines.txt',
];
const ENTRIES = { copy: 'Copy link', publish: 'Make public', unpublish: 'Make private' } as const;

class Desktop {
  readonly at: CommandLine;
  readonly server: EmbeddedServer;

  private constructor(at: CommandLine, server: EmbeddedServer) {
    this.at = at;
    this.server = server;
  }

  /** With a mount that holds `NAMES`, and the entries in the menus. */
  static async open(): Promise<Desktop> {
    const server = await startEmbeddedServer();
    for (const name of NAMES) await server.direct.putObject(server.bucket, `d/${name}`, uploadOf(name));
    const at = await CommandLine.open(server);
    const desktop = new Desktop(at, server);
    await mkdir(join(at.home, 'bin'));
    await desktop.program('xclip', 'cat > "$HOME/clipboard"');
    await desktop.program('notify-send', 'printf "%s\\n" "$@" > "$HOME/notice"');
    await desktop.program('zenity', 'printf "%s\\n" "$@" > "$HOME/window"');
    expect(await at.run(['mount', 'photos', at.mountpoint])).toMatchObject({ code: 0 });
    expect(await desktop.install()).toMatchObject({ code: 0, stderr: '' });
    return desktop;
  }

  async program(name: string, script: string): Promise<void> {
    const file = join(this.at.home, 'bin', name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  }

  install(...words: readonly string[]): Promise<Outcome> {
    return this.#shell([process.execPath, INSTALL, ...words].map(quoted).join(' '));
  }

  /** It starts what stands in its file, each path a word in quotes. */
  async thunar(title: string, names: readonly string[]): Promise<Outcome> {
    const entries = await this.written('config/Thunar/uca.xml');
    const entry = new RegExp(`<name>${title}</name>[^]*?<command>(.*)</command>`).exec(entries);
    const command = (entry?.[1] ?? '').replaceAll(/%F|%%/g, (code) =>
      code === '%%' ? '%' : names.map((name) => quoted(join(this.at.mountpoint, 'd', name))).join(' '),
    );
    return this.#shell(`DISPLAY=:9 exec ${command}`);
  }

  /** It runs the script in the folder, with the names as words; or not, where they are found by a search. */
  nautilus(title: string, words: readonly string[], environment = ''): Promise<Outcome> {
    const script = quoted(join(this.at.home, 'data/nautilus/scripts', title));
    return this.#shell(`cd mnt/d; DISPLAY=:9 ${environment} exec ${script} ${words.map(quoted).join(' ')}`);
  }

  written(name: string): Promise<string> {
    return readFile(join(this.at.home, name), 'utf8');
  }

  async visibilities(): Promise<readonly string[]> {
    const { direct, bucket } = this.server;
    const records = await Promise.all(NAMES.map((name) => direct.getVisibility(bucket, `d/${name}`)));
    return [...new Set(records.map(({ visibility }) => visibility))];
  }

  #shell(script: string): Promise<Outcome> {
    const home = 'export PATH="$HOME/bin:$PATH" XDG_DATA_HOME="$HOME/data"; unset DISPLAY WAYLAND_DISPLAY';
    return this.at.shell(`${home}; ${script}`);
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

async function fetched(links: string): Promise<readonly string[]> {
  return Promise.all(links.split('\n').map(async (link) => (await fetch(link)).text()));
}

const DONE = { code: 0, stdout: '', stderr: '' };

it('Thunar copies links, and makes files public and private, whatever their names', async () => {
  const desktop = await Desktop.open();

  const copied = await desktop.thunar(ENTRIES.copy, NAMES);
  const texts = await fetched(await desktop.written('clipboard'));
  const published = await desktop.thunar(ENTRIES.publish, NAMES);
  const between = await desktop.visibilities();
  const unpublished = await desktop.thunar(ENTRIES.unpublish, NAMES);

  expect([copied, published, unpublished]).toEqual([DONE, DONE, DONE]);
  expect(texts).toEqual(NAMES);
  expect(between).toEqual(['public']);
  expect(await desktop.visibilities()).toEqual(['private']);
  expect(await desktop.written('notice')).toMatch(/^--urgency=normal\n--\nPrivate now: /m);
});

it('Nautilus does, too, whether it names the files as words or in the environment', async () => {
  const desktop = await Desktop.open();
  const [first = ''] = NAMES;
  const path = join(desktop.at.mountpoint, 'd', first);

  const asWords = await desktop.nautilus(ENTRIES.publish, NAMES);
  const between = await desktop.visibilities();
  const uris = NAMES.map((name) => `file://${desktop.at.mountpoint}/d/${encodeURIComponent(name)}\n`).join(
    '',
  );
  const asAddresses = await desktop.nautilus(
    ENTRIES.unpublish,
    [],
    `NAUTILUS_SCRIPT_SELECTED_URIS=${quoted(uris)}`,
  );
  const after = await desktop.visibilities();
  const asPaths = await desktop.nautilus(
    ENTRIES.copy,
    [],
    `NAUTILUS_SCRIPT_SELECTED_FILE_PATHS=${quoted(`${path}\n`)}`,
  );

  expect([asWords, asAddresses, asPaths]).toEqual([DONE, DONE, DONE]);
  expect([between, after]).toEqual([['public'], ['private']]);
  expect(await fetched(await desktop.written('clipboard'))).toEqual([first]);
});

it('what fails is shown with its reason, and the others are done', async () => {
  const desktop = await Desktop.open();
  const [first = ''] = NAMES;

  const outcome = await desktop.thunar(ENTRIES.copy, [first, 'no <such> file', '.']);

  expect(outcome).toMatchObject({ code: 1, stdout: '' });
  expect(await fetched(await desktop.written('clipboard'))).toEqual([first]);
  const [, urgency, , title, ...reasons] = (await desktop.written('notice')).trimEnd().split('\n');
  expect({ urgency, title, reasons }).toEqual({
    urgency: '--urgency=critical',
    title: 'No link to copy',
    reasons: ['no &lt;such&gt; file: it does not exist', 'd: it is a folder: add -r'],
  });
});

it('a window says what fails where nothing shows notifications', async () => {
  const desktop = await Desktop.open();
  await desktop.program('notify-send', 'exit 1');
  const { faults } = desktop.server;
  faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 403 } });

  const outcome = await desktop.nautilus(ENTRIES.publish, ['-n.txt']);

  expect(outcome).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Not made public: -n.txt: ') as string,
  });
  expect(await desktop.written('window')).toMatch(
    /^--error\n--no-markup\n--title=pailfs\n--text=Not made public\n\n-n\.txt: .*403/,
  );
});

it('links are shown where no clipboard takes them', async () => {
  const desktop = await Desktop.open();
  for (const name of ['xclip', 'xsel']) await desktop.program(name, 'exit 1');

  const outcome = await desktop.thunar(ENTRIES.copy, ['-n.txt']);

  expect(outcome).toMatchObject({ code: 1 });
  expect(await desktop.written('notice')).toMatch(/install wl-clipboard, xclip or xsel\nhttp:\/\/\S+\n$/);
});

it('the entries stand beside those of others, once, and go without them', async () => {
  const desktop = await Desktop.open();
  const file = join(desktop.at.home, 'config/Thunar/uca.xml');
  const others = '<actions>\n<action>\n<name>Mine</name>\n<unique-id>1</unique-id>\n</action>\n</actions>\n';
  await writeFile(file, others);
  const script = join(desktop.at.home, 'data/nautilus/scripts/mine');
  await writeFile(script, 'mine');

  await desktop.install();
  await desktop.install();
  const entries = [...(await readFile(file, 'utf8')).matchAll(/<name>(.*)<\/name>/g)].map(([, name]) => name);
  const scripts = await readdir(join(script, '..'));
  await desktop.install('--remove');

  expect(entries).toEqual(['Mine', ...Object.values(ENTRIES)]);
  expect(scripts.sort()).toEqual([...Object.values(ENTRIES), 'mine'].sort());
  expect(await readFile(file, 'utf8')).toBe(others);
  expect(await readdir(join(script, '..'))).toEqual(['mine']);
});
