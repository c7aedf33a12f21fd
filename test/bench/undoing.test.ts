/** What the bench makes is gone when it ends, however it ends. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeFolder } from '../../bench/frame/temporary-folder.ts';
import { enterUndo, isEnding, undoAll, undoForGood } from '../../bench/frame/undoing.ts';

it('what was made last is undone first, and what failed to be undone is said', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => {
    said.mockRestore();
  });
  const undone: string[] = [];
  const note = (name: string) => (): Promise<void> => {
    undone.push(name);
    return Promise.resolve();
  };
  enterUndo(note('the store'));
  enterUndo(() => Promise.reject(new Error('it is busy')));
  enterUndo(note('a mount'));

  await undoAll();

  expect(undone).toEqual(['a mount', 'the store']);
  expect(said).toHaveBeenCalledWith('something is left behind: it is busy');
});

it('something is undone once: by who made it, who is waited for, or at the end', async () => {
  let [count, finish] = [0, (): void => undefined];
  const undo = enterUndo(() => {
    count += 1;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  });

  let isOver = false;
  void undo();
  const all = undoAll().then(() => (isOver = true));
  await Promise.resolve();
  expect(isOver).toBe(false);
  finish();
  await all;
  await undoAll();

  expect(count).toBe(1);
});

it('a folder goes with all that is in it', async () => {
  const folder = makeFolder('test');
  writeFileSync(join(folder.path, 'file'), 'x');

  await undoAll();

  expect(existsSync(folder.path)).toBe(false);
});

it('nothing is made any more once the bench ends', async () => {
  const folder = makeFolder('test');
  vi.stubEnv('TMPDIR', folder.path);

  const end = undoForGood();

  expect(isEnding()).toBe(true);
  expect(() => makeFolder('test')).toThrow('the bench ends');
  expect(readdirSync(folder.path)).toEqual([]);
  expect(() => enterUndo(() => Promise.resolve())).toThrow('the bench ends');
  await end;
  expect(existsSync(folder.path)).toBe(false);
});
