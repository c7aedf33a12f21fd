/**
 * `npm run screenshots`: what does a mount look like in a file manager? Writes docs/desktop/ from what Thunar shows. Needs what
 * `npm run test:long` installs, and ImageMagick.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { uploadOf } from '../test/support/embedded-service.ts';
import { DesktopSession } from '../test/support/desktop-session.ts';
import { MountedBucket } from '../test/support/mounted-bucket.ts';
import { HOME, onEmptyMachine } from './empty-machine.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PICTURES = join(ROOT, 'docs', 'desktop');
const MOUNTPOINT = join(HOME, 'photos');
/** File managers warn whoever is root: not who sees himself as somebody else. */
const AS_PERSON = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];
const PHOTOS = {
  'beach.png': ['skyblue', 'khaki'],
  'forest.png': ['palegreen', 'darkgreen'],
  'evening.png': ['orange', 'midnightblue'],
  'snow.png': ['lightsteelblue', 'white'],
  'field.png': ['deepskyblue', 'goldenrod'],
  'lake.png': ['azure', 'teal'],
} as const;
/** Thumbnails and menus come a moment after their window. */
const MOMENT_MS = 3000;

await onEmptyMachine(fileURLToPath(import.meta.url), async () => {
  for (const folder of [MOUNTPOINT, PICTURES]) await mkdir(folder, { recursive: true });
  const mount = await MountedBucket.open({ mountpoint: MOUNTPOINT });
  try {
    await fill(mount);
    const desktop = await DesktopSession.open(HOME, AS_PERSON);
    try {
      await takePictures(desktop);
    } finally {
      await desktop.close();
    }
  } finally {
    await mount.close();
  }
});

async function fill({ direct, bucket }: MountedBucket): Promise<void> {
  for (const [name, [above, below]] of Object.entries(PHOTOS)) {
    const file = join(HOME, name);
    convert(['-size', '640x480', `gradient:${above}-${below}`, file]);
    await direct.putObject(bucket, `holiday/${name}`, uploadOf(await readFile(file), 'image/png'));
  }
  await direct.putObject(bucket, 'holiday/places.txt', uploadOf('Where we were.\n', 'text/plain'));
}

async function takePictures(desktop: DesktopSession): Promise<void> {
  await desktop.run('"$1" "$2"', process.execPath, join(ROOT, 'scripts', 'desktop', 'install.mjs'));
  desktop.start('thunar', [join(MOUNTPOINT, 'holiday')]);
  await desktop.focus('^holiday - Thunar$');
  await pause(MOMENT_MS);
  await takePicture(desktop, 'thunar.png');
  await desktop.press('ctrl+a', 'Menu');
  await pause(MOMENT_MS);
  await takePicture(desktop, 'thunar-menu.png');
}

/** Without what is behind the windows, and in few colours: a small file. */
async function takePicture(desktop: DesktopSession, name: string): Promise<void> {
  const whole = join(HOME, name);
  await desktop.run('import -window root "$1"', whole);
  convert([whole, '-trim', '+repage', '-strip', '-colors', '128', `PNG8:${join(PICTURES, name)}`]);
}

function convert(words: readonly string[]): void {
  const { status, stderr, error } = spawnSync('convert', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`convert failed: ${error?.message ?? stderr}`);
}
