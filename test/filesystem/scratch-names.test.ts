import { describe, expect, it } from 'vitest';
import { scratchKind, type NewFile, type ScratchKind } from '../../src/filesystem/shelf/scratch-names.ts';

const MAGIC = new Uint8Array([0x00, 0x05, 0x16, 0x07]);
const TEXT = Buffer.from('text');
const NOTHING = new Uint8Array();

function kindOf(name: string, mode = 0o644, start: NewFile['start'] = TEXT): ScratchKind | null {
  return scratchKind({ name, mode, start });
}

describe('a new file', () => {
  it.each<[string, ScratchKind | null]>([
    ['.notes.txt.swp', 'swap'],
    ['.notes.txt.swo', 'swap'],
    ['.notes.txt.swx', 'swap'],
    ['.notes.txt.swpx', 'swap'],
    ['..profile.swp', 'swap'],
    ['.swp', null],
    ['.a\nb.swp', 'swap'],
    ['notes.swp', null],
    ['.notes.swq', null],
    ['#notes.txt#', 'swap'],
    ['##', null],
    ['#notes.txt', null],
    ['.#notes.txt', 'lock'],
    ['.#', null],
    ['.~lock.report.odt#', 'lock'],
    ['.~lock.#', null],
    ['.~lock.report.odt', null],
    ['.DS_Store', 'folder settings'],
    ['.DS_Store2', null],
    ['DS_Store', null],
    ['notes.txt~', null],
    ['notes.txt.tmp', null],
    ['notes.txt', null],
  ])('called %j is %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind);
  });

  it.each<[string, number, ScratchKind | null]>([
    ['.photo.jpg.Ab3dE9', 0o600, 'transfer'],
    ['.photo.jpg.Ab3dE9', 0o644, null],
    ['.photo.jpg.Ab3dE9', 0o4600, 'transfer'],
    ['.photo.Ab3dE', 0o600, null],
    ['.photo.Ab-dE9', 0o600, null],
    ['photo.jpg.Ab3dE9', 0o600, null],
    ['.bashrc', 0o600, null],
    ['lu11826isvn.tmp', 0o600, 'transfer'],
    ['lu11826isvn.tmp', 0o644, null],
    ['lute.tmp', 0o600, null],
    ['sedJIDqW2', 0o600, 'transfer'],
    ['sedJIDqW2', 0o644, null],
    ['sedation', 0o600, null],
    ['XXDKypsN', 0o600, 'transfer'],
    ['XXDKypsN', 0o644, null],
    ['.#notes.txt.1.2', 0o644, null],
    ['.#notes.txt.1.2', 0o600, 'lock'],
    ['.#notes.1', 0o644, 'lock'],
    ['tmp_obj_WhcVdL', 0o444, 'git'],
    ['tmp_pack_F5WCvz', 0o444, 'git'],
    ['tmp_obj_WhcVdL', 0o644, null],
    ['tmp_obj_WhcVd', 0o444, null],
    [`.tmp-10944-pack-${'3'.repeat(40)}.idx`, 0o444, 'git'],
    [`.tmp-10944-pack-${'3'.repeat(64)}.pack`, 0o444, 'git'],
    [`pack-${'3'.repeat(40)}.pack`, 0o444, null],
  ])('called %j of mode %o is %s', (name, mode, kind) => {
    expect(kindOf(name, mode)).toBe(kind);
  });

  it.each<[string, NewFile['start'], ScratchKind | null]>([
    ['._photo.jpg', MAGIC, 'appledouble'],
    ['._photo.jpg', null, 'appledouble'],
    ['._photo.jpg', TEXT, null],
    ['._photo.jpg', MAGIC.subarray(0, 3), null],
    ['._photo.jpg', NOTHING, null],
    ['._', MAGIC, null],
    ['4913', NOTHING, 'swap'],
    ['4913', null, 'swap'],
    ['4913', TEXT, null],
  ])('called %j that begins with %j is %s', (name, start, kind) => {
    expect(kindOf(name, 0o644, start)).toBe(kind);
  });
});
