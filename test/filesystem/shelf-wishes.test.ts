/** SEMANTICS: what was set of a scratch file that fsync has made durable here, the next mount knows, whatever it is renamed to then. */
import { describe, expect, it, vi } from 'vitest';
import type { FileSystemOperations } from '../../src/filesystem/operations.ts';
import { diskNow, mountOver } from '../support/after-a-crash.ts';
import { drained } from '../support/drained.ts';
import { refuseCommits } from '../support/journal-commits.ts';
import { errnoOfCall, setXattr, writeAt, xattr } from '../support/program-acts.ts';
import { stateOf, withPublicFile } from '../support/public-file.ts';

const SWAP = '/.f.swp';
const VISIBILITY = 'user.pailfs.visibility';
const MIME_TYPE = 'user.mime_type';

/** A program has made SWAP durable here, `before` its fsync and after that, and closed it. */
async function shelved(
  fs: FileSystemOperations,
  { before, after }: { before?: () => Promise<void>; after?: () => Promise<void> },
): Promise<void> {
  const intent = { read: true, write: true, truncate: true, exclusive: true, mode: 0o600 };
  const handle = await fs.create(SWAP, intent);
  await writeAt(fs, handle, 'secret');
  await before?.();
  await fs.fsync(handle);
  await after?.();
  await fs.flush(handle);
  await fs.release(handle);
}

describe('a scratch file after a crash', () => {
  it.each(['before', 'after'])('stays private that was made so %s its fsync [crash/link]', async (when) => {
    const scene = await withPublicFile();
    await shelved(scene.fs, { [when]: () => setXattr(scene.fs, SWAP, VISIBILITY, 'private') });

    const next = await mountOver(await diskNow(scene), scene);
    await next.operations.rename(SWAP, '/f', false);
    await drained(next);

    expect(await stateOf(scene)).toEqual(['secret', 'private']);
  });

  it.each(['before', 'after'])(
    'has the type and the visibility set %s its fsync [xattr/draft]',
    async (when) => {
      const scene = await withPublicFile();
      await shelved(scene.fs, {
        [when]: async () => {
          await setXattr(scene.fs, SWAP, MIME_TYPE, 'text/x-mine');
          await setXattr(scene.fs, SWAP, VISIBILITY, 'public');
        },
      });

      const { operations } = await mountOver(await diskNow(scene), scene);

      expect(await xattr(operations, SWAP, MIME_TYPE)).toBe('text/x-mine');
      expect(await xattr(operations, SWAP, VISIBILITY)).toBe('public');
      await operations.rename(SWAP, '/g', false);
      expect((await scene.direct.headObject(scene.bucket, 'g')).contentType).toBe('text/x-mine');
      expect((await scene.direct.getVisibility(scene.bucket, 'g')).visibility).toBe('public');
    },
  );

  it('is not said to be private when the local disk does not note it [xattr/private]', async () => {
    const scene = await withPublicFile();
    await shelved(scene.fs, {});
    refuseCommits('shelved');

    expect(await errnoOfCall(setXattr(scene.fs, SWAP, VISIBILITY, 'private'))).toBe('EIO');
  });
});

describe('the attributes of a scratch file', () => {
  const SET = { mode: 0o640, mtime: 4000, atime: 3000 };
  /** A kill loses what was set for so long, milliseconds. */
  const MOMENT = 100;

  it.each(['before', 'after'])('are those that were set %s its fsync [attributes/remount]', async (when) => {
    const scene = await withPublicFile();
    const set = async (): Promise<void> => {
      scene.clock.advance(1);
      await scene.fs.setAttributes(SWAP, SET);
    };
    await shelved(scene.fs, { [when]: set });
    scene.clock.advance(MOMENT);

    await vi.waitFor(async () => {
      const { operations } = await mountOver(await diskNow(scene), scene);
      expect(await operations.getAttributes(SWAP)).toMatchObject(SET);
    });
  });
});
