/** Which directories does a user believe that hold what mounts say of themselves? */
import { chmod, chown, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  belongsTo,
  ownRecordDirectories,
  recordDirectories,
  recordDirectory,
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

describe.runIf(uid === 0)('a mount leaves word of itself', () => {
  const temporary = `/tmp/pailfs-${STRANGER}`;

  /** As root of a user namespace finds the directory of the machine's root. */
  async function othersMade(directory: string): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await chown(directory, STRANGER + 1, STRANGER + 1);
  }

  it('in /tmp where the usual directory is somebody else’s, and is found there', async () => {
    const session = `/run/user/${STRANGER}`;
    onTestFinished(() => rm(session, { recursive: true }));
    onTestFinished(() => rm(temporary, { recursive: true }));
    await othersMade(`${session}/pailfs`);

    expect(await recordDirectory(STRANGER)).toBe(temporary);
    expect(await ownRecordDirectories(STRANGER)).toEqual([temporary]);
  });

  it('nowhere, and says so, where that is somebody else’s, too', async () => {
    onTestFinished(() => rm(temporary, { recursive: true }));
    await othersMade(temporary);

    await expect(recordDirectory(STRANGER)).rejects.toThrow(
      `${temporary} belongs to somebody else or is open to others: remove it`,
    );
  });
});
