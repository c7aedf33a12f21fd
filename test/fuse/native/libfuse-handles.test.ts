import { describe, expect, it } from 'vitest';
import { LibfuseHandles } from '../../../src/fuse/native/libfuse-handles.ts';

const HIDDEN = '/a/.fuse_hidden0000000200000001';

describe('the table of open files', () => {
  it('gives numbers that are never 0 and never given twice', () => {
    const files = new LibfuseHandles(() => 0);
    const first = files.add({ path: '/a', identity: 1 }, false);
    const second = files.add({ path: '/a', identity: 1 }, false);

    expect(first).toBeGreaterThan(0);
    expect(second).not.toBe(first);
    expect(() => files.get(0)).toThrow(expect.objectContaining({ code: 'EBADF' }));
  });

  it('leads from a hidden path to a handle as long as one is open', () => {
    const files = new LibfuseHandles(() => 0);
    const handle = { path: '/a/x', identity: 1 };
    const number = files.add(handle, false);
    files.hide(HIDDEN, files.visibleAt('/a/x'));

    expect(files.behind(HIDDEN)).toBe(handle);
    expect(files.visibleAt('/a/x')).toEqual([]);
    files.forget(number);
    expect(() => files.behind(HIDDEN)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it('moves hidden paths with their folder', () => {
    const files = new LibfuseHandles(() => 0);
    const handle = { path: '/a/x', identity: 1 };
    files.add(handle, false);
    files.hide(HIDDEN, files.visibleAt('/a/x'));
    files.moveHidden('/a', '/b');

    expect(files.behind(HIDDEN.replace('/a/', '/b/'))).toBe(handle);
    expect(() => files.behind(HIDDEN)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it('moves none with a folder whose name begins as theirs', () => {
    const files = new LibfuseHandles(() => 0);
    const handle = { path: '/a/x', identity: 1 };
    files.add(handle, false);
    files.hide('/ab/.fuse_hidden1', files.visibleAt('/a/x'));
    files.moveHidden('/a', '/b');

    expect(files.behind('/ab/.fuse_hidden1')).toBe(handle);
  });

  it('takes the file for open that was closed last, however many were since it was closed before', () => {
    const files = new LibfuseHandles(() => 0);
    const openAndClose = (path: string): void => {
      files.forget(files.add({ path, identity: 1 }, false));
    };
    openAndClose('/again');
    for (let index = 0; index < 999; index += 1) openAndClose(`/${index}`);
    openAndClose('/again');
    openAndClose('/last');

    expect([files.mayBeOpen('/again'), files.mayBeOpen('/0')]).toEqual([true, false]);
  });

  it('takes a file for open a little longer than it is, as libfuse does', () => {
    let now = 0;
    const files = new LibfuseHandles(() => now);
    expect(files.mayBeOpen('/a')).toBe(false);
    files.forget(files.add({ path: '/a', identity: 1 }, false));

    expect(files.mayBeOpen('/a')).toBe(true);
    now = 60_000;
    expect(files.mayBeOpen('/a')).toBe(false);
  });

  it('leaves those without bytes who have a file open that a newer one has replaced, once programs hear of it', () => {
    const files = new LibfuseHandles(() => 0);
    const old = files.add({ path: '/a', identity: 5 }, false);
    const other = files.add({ path: '/b', identity: 4 }, false);
    files.told('/a', 5);
    expect(files.current(old).handle.identity).toBe(5);

    files.told('/a', 8);
    const newer = files.add({ path: '/a', identity: 8 }, false);
    // The answer to an earlier question.
    files.told('/a', 5);

    expect(() => files.current(old)).toThrow(expect.objectContaining({ code: 'ESTALE' }));
    expect(files.get(old).handle.identity).toBe(5);
    expect(files.current(newer).handle.identity).toBe(8);
    expect(files.current(other).handle.identity).toBe(4);
  });

  it('does so, too, once a program has opened the newer one', () => {
    const files = new LibfuseHandles(() => 0);
    const old = files.add({ path: '/a', identity: 5 }, false);
    files.add({ path: '/a', identity: 8 }, false);

    expect(() => files.current(old)).toThrow(expect.objectContaining({ code: 'ESTALE' }));
  });
});
