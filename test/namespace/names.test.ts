/** Are names that take few bytes the same as others to whoever looks? */
import { describe, expect, it } from 'vitest';
import type { FileEntryKnown } from '../../src/namespace/entries.ts';
import { Names } from '../../src/namespace/names.ts';
import { Version } from '../../src/store/version.ts';

function told(index: number, etag = String(index).padStart(32, 'a0')): FileEntryKnown {
  const version = Version.told({ size: index, etag, lastModified: new Date(index * 1000) });
  return { kind: 'file', version, confirmedAt: index };
}

/** `count` files that one listing told of. */
function listed(count: number): Names {
  const names = new Names();
  for (let index = 0; index < count; index += 1) names.setTold(`f${index}`, told(index), names);
  return names;
}

describe('a file that a listing told of', () => {
  it('is what it was told to be, however often one looks', () => {
    const names = new Names();
    const entries = [told(1), told(2, 'no-md5'), told(3, 'ABCDEF00ABCDEF00ABCDEF00ABCDEF00')];
    for (const [index, entry] of entries.entries()) names.setTold(`f${index}`, entry, names);

    for (const [index, entry] of entries.entries()) {
      const { size, etag, lastModified, id, lineage } = entry.version;
      const version = { size, etag, lastModified, id, lineage };
      expect(names.peek(`f${index}`)).toMatchObject({
        kind: 'file',
        version,
        confirmedAt: entry.confirmedAt,
      });
    }
    expect([...names].map(([name]) => name)).toEqual(['f0', 'f1', 'f2']);
  });

  it('is one version to all that keep it, also when it is told of again', () => {
    const names = listed(3);
    const kept = names.get('f1');

    const again = kept?.kind === 'file' ? { ...kept, confirmedAt: 9 } : told(1);
    names.setTold('f1', again, names);

    expect(kept?.kind === 'file' && kept.version).toBe(again.version);
    expect(names.get('f1')).toMatchObject({ confirmedAt: 9, version: again.version });
    expect([...names.given()].map(([name]) => name)).toEqual(['f1']);
  });

  it('stays an object where somebody keeps it in another list of names', () => {
    const before = listed(2);
    const kept = before.get('f0');
    const names = new Names();

    if (kept?.kind === 'file') names.setTold('f0', kept, before);

    expect(names.peek('f0')).toBe(kept);
  });

  it('takes few bytes until somebody keeps it', () => {
    const names = listed(100_000);
    const small = names.bytes / names.size;
    for (const name of names.keys()) names.get(name);

    expect(small).toBeLessThan(200);
    expect(names.bytes / names.size).toBeGreaterThan(400);
  });

  it('leaves its place to the next one', () => {
    const names = listed(1000);
    const { bytes } = names;
    for (let round = 0; round < 5; round += 1) {
      for (let index = 0; index < 1000; index += 1) names.delete(`f${index}`);
      for (let index = 0; index < 1000; index += 1) names.setTold(`f${index}`, told(index), names);
    }

    expect(names.bytes).toBe(bytes);
    expect(names.peek('f999')).toMatchObject({ version: { size: 999 } });
  });
});

describe('the names that are listed one after another', () => {
  it('are those that stay, each once and in their order, though most others are deleted meanwhile', () => {
    const names = listed(1000);
    names.set('folder', { kind: 'folder', confirmedAt: 1, told: true });
    const seen: string[] = [];
    for (const name of names.keys()) {
      seen.push(name);
      if (seen.length !== 10) continue;
      for (let index = 10; index < 990; index += 1) names.delete(`f${index}`);
      names.set('later', { kind: 'folder', confirmedAt: 1, told: true });
    }

    const ten = (start: number): string[] => Array.from({ length: 10 }, (_, index) => `f${start + index}`);
    expect(seen).toEqual([...ten(0), ...ten(990), 'folder']);
    expect([...names.keys()]).toEqual([...seen, 'later']);
    expect(names.peek('f995')).toMatchObject({ version: { size: 995 } });
  });

  it('are given once each when some had come back before most others are deleted', () => {
    const names = listed(100);
    for (let index = 0; index < 20; index += 1) {
      names.delete(`f${index}`);
      names.setTold(`f${index}`, told(index), names);
    }
    const seen: string[] = [];
    for (const name of names.keys()) {
      seen.push(name);
      if (seen.length === 1) for (let index = 30; index < 100; index += 1) names.delete(`f${index}`);
    }

    const those = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, index) => `f${from + index}`);
    expect(seen).toEqual([...those(20, 30), ...those(0, 20)]);
  });

  it.each([1, 60])('are given also when they go and come back meanwhile, with %i others going', (others) => {
    const names = listed(100);
    const seen: string[] = [];
    for (const name of names.keys()) {
      seen.push(name);
      if (seen.length !== 1) continue;
      names.delete('f90');
      names.setTold('f90', told(7), names);
      for (let index = 10; index < 10 + others; index += 1) names.delete(`f${index}`);
      names.delete('f91');
      names.setTold('f91', told(8), names);
    }

    expect(seen).toEqual(
      Array.from({ length: 100 }, (_, index) => `f${index}`).filter((name) => names.has(name)),
    );
    expect(seen.slice(-10, -7)).toEqual(['f90', 'f91', 'f92']);
  });

  it('begin at the end again when they come back', () => {
    const names = listed(3);
    names.delete('f0');
    names.setTold('f0', told(7), names);

    expect([...names.keys()]).toEqual(['f1', 'f2', 'f0']);
  });
});

describe('names that are missing', () => {
  it('are not counted among those that are there', () => {
    const names = listed(3);
    names.set('f0', { kind: 'missing', confirmedAt: 1 });
    names.set('f0', { kind: 'missing', confirmedAt: 2 });
    names.set('gone', { kind: 'missing', confirmedAt: 1 });
    expect(names.visible).toBe(2);

    names.set('gone', { kind: 'folder', confirmedAt: 3, told: true });
    names.delete('f0');
    names.delete('f1');

    expect(names.visible).toBe(2);
    expect(names.size).toBe(2);
  });
});

describe('the state of names', () => {
  it.each<[string, (names: Names) => void]>([
    ['nothing happened', () => undefined],
    ['one was looked at, or kept', (names) => [names.peek('f1'), names.get('f1')]],
    [
      'one was confirmed',
      (names) => {
        names.set('f1', { ...entryIn(names, 'f1'), confirmedAt: 99 });
      },
    ],
    [
      'one was told of again',
      (names) => {
        names.setTold('f2', entryIn(names, 'f2'), names);
      },
    ],
  ])('is the same when %s', (_title, act) => {
    const names = listed(3);
    const { state } = names;
    act(names);

    expect(names.state).toBe(state);
  });

  it.each<[string, (names: Names) => void]>([
    [
      'a file is another',
      (names) => {
        names.set('f1', told(7));
      },
    ],
    [
      'a file that was kept is another',
      (names) => {
        names.get('f1');
        names.setTold('f1', told(7), names);
      },
    ],
    [
      'a listing tells of another file',
      (names) => {
        names.setTold('f1', told(7), names);
      },
    ],
    [
      'a file is a folder',
      (names) => {
        names.set('f1', { kind: 'folder', confirmedAt: 1, told: true });
      },
    ],
    [
      'a file is missing',
      (names) => {
        names.set('f1', { kind: 'missing', confirmedAt: 1 });
      },
    ],
    [
      'there is one more',
      (names) => {
        names.set('f9', told(9));
      },
    ],
    [
      'one is not known any more',
      (names) => {
        names.delete('f1');
      },
    ],
  ])('is another when %s', (_title, act) => {
    const names = listed(3);
    const { state } = names;
    act(names);

    expect(names.state).not.toBe(state);
  });
});

function entryIn(names: Names, name: string): FileEntryKnown {
  const entry = names.peek(name);
  if (entry?.kind !== 'file') throw new Error('no such file');
  return entry;
}
