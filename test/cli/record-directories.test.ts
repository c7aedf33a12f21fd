/** Which directories does a user believe that hold what mounts say of themselves? */
import { chmod, chown, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  belongsTo,
  ownRecordDirectories,
  recordDirectories,
} from '../../src/cli/found-mounts/record-directories.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const uid = process.getuid?.() ?? 0;
/** Nobody has such a number. */
const STRANGER = 4_000_000_001;

describe('what mounts say of themselves is believed', () => {
  it('in a directory that only its user can change', async () => {
    const directory = join(await temporaryDirectory(), 'own');
    await mkdir(directory, { mode: 0o700 });
    expect(await belongsTo(directory, uid)).toBe(true);
    // This process has made it itself.
    expect(await belongsTo(directory, STRANGER)).toBe(true);
    expect(await belongsTo('/', STRANGER)).toBe(uid === 0);
  });

  it('not where others may write, nor through a link, nor where nothing is', async () => {
    const home = await temporaryDirectory();
    const open = join(home, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    await mkdir(join(home, 'own'), { mode: 0o700 });
    await symlink('own', join(home, 'link'));
    expect(await belongsTo(open, uid)).toBe(false);
    expect(await belongsTo(join(home, 'link'), uid)).toBe(false);
    expect(await belongsTo(join(home, 'none'), uid)).toBe(false);
  });

  it.runIf(uid === 0)(
    'not in a directory in /tmp that has the name of one user and was made by another',
    async () => {
      const directory = `/tmp/pailfs-${STRANGER}`;
      await mkdir(directory, { mode: 0o755 });
      onTestFinished(() => rm(directory, { recursive: true }));
      await chown(directory, STRANGER + 1, STRANGER + 1);
      expect(await ownRecordDirectories(STRANGER)).toEqual([]);
      expect(await recordDirectories(0)).not.toContain(directory);

      await chown(directory, STRANGER, STRANGER);
      expect(await ownRecordDirectories(STRANGER)).toEqual([directory]);
      expect(await recordDirectories(0)).toContain(directory);
    },
  );
});
