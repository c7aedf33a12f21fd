import { describe, expect, it, vi } from 'vitest';
import { Replacements } from '../../../src/fuse/native/replacements.ts';

const THREAD = Buffer.from('one');
const OTHER_THREAD = Buffer.from('other');

function replacementsAt(): { replacements: Replacements; clock: { time: number; run: () => void } } {
  const clock = { time: 0, run: (): void => undefined };
  const replacements = new Replacements({
    monotonic: () => clock.time,
    after: (_milliseconds, action) => {
      clock.run = action;
      return () => undefined;
    },
  });
  return { replacements, clock };
}

const file = (): Promise<{ kind: 'file' }> => Promise.resolve({ kind: 'file' });
const folder = (): Promise<{ kind: 'folder' }> => Promise.resolve({ kind: 'folder' });

describe('a file that libfuse hides', () => {
  it('is likely to be replaced when another file was looked up just before, however slow the target was [native/removal]', async () => {
    const { replacements, clock } = replacementsAt();
    await replacements.lookUp('/fresh', file);
    await replacements.lookUp('/target', () => {
      clock.time += 5000;
      return file();
    });

    expect(replacements.isLikely('/target')).toBe(true);
  });

  it('is not when only folders, itself, deleted files or long past ones were looked up', async () => {
    const { replacements, clock } = replacementsAt();
    await replacements.lookUp('/past', file);
    clock.time = 1000;
    await replacements.lookUp('/', folder);
    await replacements.lookUp('/deleted', file);
    replacements.forget('/deleted');
    await replacements.lookUp('/target', file);

    expect(replacements.isLikely('/target')).toBe(false);
  });

  it('is not deleted when the same thread renames another one over it', async () => {
    const { replacements, clock } = replacementsAt();
    const remove = vi.fn(() => Promise.resolve());
    replacements.postpone('/a/target', THREAD, remove);

    expect(replacements.before(THREAD, 'rename', ['/fresh', '/a/target'])).toBeUndefined();
    clock.run();
    await new Promise(setImmediate);
    expect(remove).not.toHaveBeenCalled();
  });

  it.each(['another thread asks for something', 'its time was just over'])(
    'nor when %s before that',
    async (what) => {
      const { replacements, clock } = replacementsAt();
      const remove = vi.fn(() => Promise.resolve());
      replacements.postpone('/a/target', THREAD, remove);
      if (what.startsWith('another')) void replacements.before(OTHER_THREAD, 'getattr', ['/b']);
      else clock.run();
      void replacements.before(THREAD, 'rename', ['/fresh', '/a/target']);
      for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);

      expect(remove).not.toHaveBeenCalled();
    },
  );

  it('is deleted when the same thread asks for anything else, or nothing comes [native/removal]', async () => {
    const { replacements, clock } = replacementsAt();
    const first = vi.fn(() => Promise.resolve());
    const second = vi.fn(() => Promise.resolve());
    replacements.postpone('/a/target', THREAD, first);
    expect(replacements.before(THREAD, 'getattr', ['/b'])).toBeUndefined();
    await new Promise(setImmediate);
    replacements.postpone('/a/target', THREAD, second);
    clock.run();
    await new Promise(setImmediate);
    await new Promise(setImmediate);

    expect(first).toHaveBeenCalledTimes(1);
    expect(second).toHaveBeenCalledTimes(1);
  });

  it('holds up whoever asks about it or lists its folder, and nobody else', async () => {
    const { replacements, clock } = replacementsAt();
    replacements.postpone('/a/target', THREAD, () => Promise.resolve());

    expect(replacements.before(OTHER_THREAD, 'getattr', ['/a/other'])).toBeUndefined();
    expect(replacements.before(OTHER_THREAD, 'getattr', ['/a'])).toBeUndefined();
    const waits = [
      replacements.before(OTHER_THREAD, 'getattr', ['/a/target']),
      replacements.before(OTHER_THREAD, 'readdir', ['/a']),
      replacements.before(OTHER_THREAD, 'rmdir', ['/a']),
    ].filter((wait) => wait !== undefined);
    expect(waits).toHaveLength(3);
    clock.run();
    await Promise.all(waits);
    expect(replacements.before(OTHER_THREAD, 'getattr', ['/a/target'])).toBeUndefined();
  });
});
