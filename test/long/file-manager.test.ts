/**
 * What does a person with a file manager get of a mount, and what does it cost? Thunar and its thumbnailer, on a display that nobody
 * sees; the keys are those of its menus.
 */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contentTypeOf } from '../../src/filesystem/attributes/content-type.ts';
import { CommandLine } from '../support/command-line.ts';
import { DesktopSession } from '../support/desktop-session.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { heldByService, type HeldFiles } from '../support/held-files.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PAGE = new URL('../../docs/DESKTOP.md', import.meta.url);
const INSTALL = fileURLToPath(new URL('../../scripts/desktop/install.mjs', import.meta.url));
/** A file manager and its thumbnailer go on asking for a moment after all seems done. */
const QUIET_MS = 3000;
const TEXT = 'A text of a few words.\n';
const PICTURE = Buffer.concat([Buffer.from('P6\n128 128\n255\n'), patternedBytes(3 * 128 * 128)]);

class Screen {
  readonly server: EmbeddedServer;
  readonly at: CommandLine;
  readonly desktop: DesktopSession;

  private constructor(server: EmbeddedServer, at: CommandLine, desktop: DesktopSession) {
    this.server = server;
    this.at = at;
    this.desktop = desktop;
  }

  /** Of a mount that holds `files`, whose names stay known. */
  static async open(files: Readonly<Record<string, Uint8Array | string>>): Promise<Screen> {
    const server = await startEmbeddedServer();
    for (const [key, content] of Object.entries(files)) {
      await server.direct.putObject(server.bucket, key, uploadOf(content, contentTypeOf(key)));
    }
    const at = await CommandLine.open(server);
    const outcome = await at.run(['mount', 'photos', at.mountpoint, '--metadata-ttl', '3600']);
    expect(outcome).toMatchObject({ code: 0 });
    const desktop = await DesktopSession.open(await temporaryDirectory());
    onTestFinished(() => desktop.close());
    return new Screen(server, at, desktop);
  }

  /** Thunar shows the folder, in a window of its own. Resolves with what that asked of the service. */
  async browse(folder: string): Promise<readonly string[]> {
    this.server.requests.reset();
    const path = join(this.at.mountpoint, folder);
    this.desktop.start('thunar', [path]);
    await this.desktop.focus(`^${folder === '' ? 'mnt' : folder} - Thunar$`);
    return this.asked();
  }

  /** Since the last look, once nothing more comes: `operation key`. */
  async asked(): Promise<readonly string[]> {
    const { requests } = this.server;
    for (let before = -1; before !== requests.count();) {
      before = requests.count();
      await pause(QUIET_MS);
    }
    const asked = requests.all.map(({ operation, key, folder }) => `${operation} ${key ?? folder ?? ''}`);
    requests.reset();
    return asked.sort();
  }

  /** In a dialog with one field. */
  async answer(title: string, text: string): Promise<void> {
    await this.desktop.focus(title);
    await this.desktop.press('ctrl+a');
    await this.desktop.type(text);
    await this.desktop.press('Return');
  }

  /** Bytes that the mount has got from the service. */
  async received(): Promise<number> {
    const { stdout } = await this.at.run(['status', this.at.mountpoint, '--json']);
    const [shown] = JSON.parse(stdout) as { live: { traffic: { bytesReceived: number } } }[];
    return shown?.live.traffic.bytesReceived ?? Number.NaN;
  }

  held(): Promise<HeldFiles> {
    return heldByService(this.server.direct, this.server.bucket, '');
  }
}

/** It looks once whether the top of the mount has a bin. */
function besidesTheBin(asked: readonly string[]): readonly string[] {
  return asked.filter((request) => !/ \.Trash(-\d+)?$/.test(request));
}

describe('a file manager', () => {
  it('shows folders for one listing each, and reads of files only the beginning, where the name does not tell the type', async () => {
    const screen = await Screen.open({
      'f.txt': TEXT,
      'd/a.txt': TEXT,
      'd/README': TEXT,
      'd/program': patternedBytes(20_000_000),
    });

    const top = await screen.browse('');
    const folder = await screen.browse('d');
    await screen.desktop.press('ctrl+2');
    const inColumns = await screen.asked();
    await screen.desktop.press('F5');
    const again = await screen.asked();

    expect(besidesTheBin(top)).toEqual(['listObjects ']);
    expect(folder).toEqual(['getObject d/program', 'listObjects d']);
    expect([inColumns, again]).toEqual([[], []]);
    expect(await screen.received()).toBeLessThan(2_000_000);
  });

  it('shows pictures small, which reads each once', async () => {
    const screen = await Screen.open({ 'd/1.ppm': PICTURE, 'd/2.ppm': PICTURE });

    const first = await screen.browse('d');
    const shown = join(screen.desktop.home, '.cache/thumbnails/normal');
    await screen.desktop.until('thumbnails', async () => (await names(shown)).length >= 2);
    const more = await screen.asked();
    await screen.desktop.press('F5');
    const again = await screen.asked();

    const read = [...first, ...more].filter((request) => request.startsWith('getObject'));
    expect(read).toEqual(['getObject d/1.ppm', 'getObject d/2.ppm']);
    expect(again).toEqual([]);
  });

  it('reads no picture of a mount that its thumbnailer is told to leave out', async () => {
    const screen = await Screen.open({ 'd/1.ppm': PICTURE, 'd/2.ppm': PICTURE });
    await screen.desktop.run(await excluding(screen.at.mountpoint));

    const asked = await screen.browse('d');

    expect(besidesTheBin(asked).filter((request) => !request.startsWith('listObjects'))).toEqual([]);
  });

  it('opens a file in its program, with one request', async () => {
    const screen = await Screen.open({ 'd/a.txt': TEXT });
    const { desktop } = screen;
    const applications = join(desktop.home, '.local/share/applications');
    await mkdir(applications, { recursive: true });
    const entry = '[Desktop Entry]\nType=Application\nName=Reader\nMimeType=text/plain;\n';
    await writeFile(join(applications, 'reader.desktop'), `${entry}Exec=cp -- %f ${desktop.home}/read\n`);
    await writeFile(
      join(applications, 'mimeapps.list'),
      '[Default Applications]\ntext/plain=reader.desktop\n',
    );
    await screen.browse('d');

    await desktop.press('ctrl+a', 'ctrl+o');
    await desktop.until('the program', async () => (await names(desktop.home)).includes('read'));

    expect(await screen.asked()).toEqual(['getObject d/a.txt']);
    expect(await readFile(join(desktop.home, 'read'), 'utf8')).toBe(TEXT);
  });

  it('copies and moves a file from folder to folder, whole, and stores it once', async () => {
    const content = patternedBytes(3_000_000);
    const screen = await Screen.open({ 'from/picture.bin': content, 'to/a.txt': TEXT, 'other/b.txt': TEXT });
    const { desktop } = screen;
    const { 'from/picture.bin': hash, ...others } = await screen.held();
    for (const folder of ['other', 'to', 'from']) await screen.browse(folder);

    await desktop.press('ctrl+a', 'ctrl+c');
    await desktop.focus('^to - Thunar$');
    await desktop.press('ctrl+v');
    const copy = await screen.asked();
    const copied = await screen.held();
    await desktop.focus('^from - Thunar$');
    await desktop.press('ctrl+a', 'ctrl+x');
    await desktop.focus('^other - Thunar$');
    await desktop.press('ctrl+v');
    const move = await screen.asked();
    const moved = await screen.held();

    // It carries what it finds in attributes: the visibility.
    expect(copy).toEqual([
      'getObject from/picture.bin',
      'getVisibility from/picture.bin',
      'putObject to/picture.bin',
      'setVisibility to/picture.bin',
    ]);
    expect(copied).toEqual({ ...others, 'from/picture.bin': hash, 'to/picture.bin': hash });
    // The emptied folder is made to stay a few seconds later.
    expect(move.filter((request) => request !== 'createFolder from')).toEqual([
      'deleteObject from/picture.bin',
      'headObject from/picture.bin',
      'headObject other/picture.bin',
      'putObject other/picture.bin',
    ]);
    expect(moved).toMatchObject({ 'other/picture.bin': hash, 'to/picture.bin': hash });
    expect(moved).not.toHaveProperty(['from/picture.bin']);
  });

  it('renames a file, makes a folder, and deletes both', async () => {
    const screen = await Screen.open({ 'd/old name.txt': TEXT });
    const { desktop } = screen;
    const { 'd/old name.txt': hash } = await screen.held();
    await screen.browse('d');

    await desktop.press('ctrl+a', 'F2');
    await screen.answer('^Rename', 'new näme.txt');
    const rename = await screen.asked();
    const renamed = await screen.held();
    await desktop.focus('^d - Thunar$');
    await desktop.press('ctrl+shift+n');
    await screen.answer('^(New|Create)', 'made');
    const make = await screen.asked();
    const made = await screen.held();
    await desktop.focus('^d - Thunar$');
    await desktop.press('ctrl+a', 'shift+Delete');
    await desktop.focus('^Attention|^Thunar$|^Delete');
    await desktop.press('Return');
    const remove = await screen.asked();

    expect(renamed).toEqual({ 'd/': '', 'd/new näme.txt': hash });
    expect(rename).toEqual([
      'deleteObject d/old name.txt',
      'getObject d/old name.txt',
      'getVisibility d/old name.txt',
      'headObject d/new näme.txt',
      'headObject d/old name.txt',
      'putObject d/new näme.txt',
    ]);
    expect(made).toEqual({ ...renamed, 'd/made/': '' });
    expect(make).toEqual(['createFolder d/made']);
    expect(remove.filter((request) => request.startsWith('deleteObject'))).toEqual([
      'deleteObject d/made/',
      'deleteObject d/new näme.txt',
    ]);
    expect(Object.keys(await screen.held()).filter((key) => key !== 'd/')).toEqual([]);
  });

  it('copies a link into the clipboard, from the menu that install.mjs has added to', async () => {
    const screen = await Screen.open({ 'd/a b.txt': TEXT });
    const { desktop } = screen;
    await desktop.run('"$1" "$2"', process.execPath, INSTALL);
    // A person would take the mouse.
    const key =
      '(gtk_accel_path "<Actions>/ThunarActions/uca-action-pailfs-copy-link" "<Primary><Shift>l")\n';
    await writeFile(join(desktop.home, '.config/Thunar/accels.scm'), key);
    await screen.browse('d');

    await desktop.press('ctrl+a', 'ctrl+shift+l');
    const clipboard = (): Promise<string> => desktop.run('xclip -out -selection clipboard || true');
    await desktop.until('the link', async () => (await clipboard()).startsWith('http'));

    expect(await (await fetch(await clipboard())).text()).toBe(TEXT);
  });
});

/** The lines of docs/DESKTOP.md that tell the thumbnailer so, for this mountpoint. */
async function excluding(mountpoint: string): Promise<string> {
  const [lines = ''] =
    /^ {4}mkdir -p ~\/\.config\/tumbler\n {4}.*$/m.exec(await readFile(PAGE, 'utf8')) ?? [];
  expect(lines).toContain('$HOME/photos');
  return lines.replace('$HOME/photos', mountpoint);
}

async function names(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
