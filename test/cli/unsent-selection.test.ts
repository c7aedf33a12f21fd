/** Which changes does a person mean? */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { selectChanges } from '../../src/cli/uploads/unsent-selection.ts';
import type { UnsentPlace } from '../../src/cli/uploads/unsent-places.ts';
import type { StateAbout } from '../../src/cli/state/state-directory.ts';
import { ControlClient } from '../../src/cli/control/control-client.ts';
import { unsentChangeOf } from '../support/unsent-change.ts';

function placeOf(mountpoint: string | null, paths: Readonly<Record<string, string | null>>): UnsentPlace {
  const changes = Object.entries(paths).map(([id, path]) => unsentChangeOf({ id, path }));
  const owner = { kind: 'mount', control: new ControlClient('/none'), isFinishing: false } as const;
  return { mountpoint, bucket: 'photos', baseUrl: 'https://storage.example.com', changes, owner };
}

function leftOf(
  bucket: string,
  paths: Readonly<Record<string, string>>,
  about: StateAbout | null = null,
): UnsentPlace {
  const directory = {
    ...{ path: `/state/${bucket}/0`, bucketHome: `/state/${bucket}`, name: '0' },
    ...{ about, isOwned: false, retriedBy: null },
  };
  return { ...placeOf(null, paths), bucket, owner: { kind: 'left', directory } };
}

const PLACES = [
  placeOf('/mnt/a', { 'aaaa-1': '/notes.txt', 'aaaa-2': '/d/notes.txt', 'aaaa-3': null }),
  placeOf('/mnt/b', { 'bbbb-1': '/notes.txt', 'bbbb-2': '/only' }),
  placeOf('/mnt/c', { 'delete-1': '/one', 'delete-12': '/twelve', 'delete-13': '/thirteen' }),
];

const idsOf = (...words: readonly string[]): readonly string[] =>
  selectChanges(words, PLACES).flatMap(({ changes }) => changes.map(({ id }) => id));

describe('a change is named', () => {
  it.each([
    ['by its path on the machine', '/mnt/a/notes.txt', 'aaaa-1'],
    ['by its path in the mount', '/d/notes.txt', 'aaaa-2'],
    ['by that without the slash', 'only', 'bbbb-2'],
    ['by its identifier', 'aaaa-3', 'aaaa-3'],
    ['by an identifier with which others begin', 'delete-1', 'delete-1'],
  ])('%s', (_how, word, id) => {
    expect(idsOf(word)).toEqual([id]);
  });

  it('by a name that leads into a mount of that one alone, of others by its identifier', () => {
    const where = vi.spyOn(process, 'cwd').mockReturnValue('/mnt/a/d');
    onTestFinished(() => {
      where.mockRestore();
    });
    const left = [...PLACES, leftOf('music', { 'eeee-1': '/song' })];
    const meant = (word: string): readonly string[] =>
      selectChanges([word], left).flatMap(({ changes }) => changes.map(({ id }) => id));

    expect(meant('bbbb-2')).toEqual(['bbbb-2']);
    expect(meant('/only')).toEqual(['bbbb-2']);
    expect(meant('/song')).toEqual(['eeee-1']);
    for (const word of ['only', 'song']) {
      expect(() => meant(word)).toThrow(`nothing that waits here is called ${word}: nothing is done`);
    }
  });

  it('by what its name means where one stands, and nothing else of that name in the mount', () => {
    const where = vi.spyOn(process, 'cwd').mockReturnValue('/mnt/a/d');
    onTestFinished(() => {
      where.mockRestore();
    });

    expect(idsOf('notes.txt')).toEqual(['aaaa-2']);
    expect(idsOf('/d/notes.txt')).toEqual(['aaaa-2']);
    expect(idsOf('d/notes.txt')).toEqual(['aaaa-2']);
  });

  it('of what a dead mount has left, as a mount of all buckets called it, also with the bucket before it', () => {
    const left = [
      leftOf('photos', { 'cccc-1': '/a', 'cccc-2': '/photos/b', 'cccc-3': '/b' }),
      leftOf('music', { 'dddd-1': '/a' }),
    ];
    const meant = (word: string): readonly string[] =>
      selectChanges([word], left).flatMap(({ changes }) => changes.map(({ id }) => id));

    expect(['photos/a', '/music/a', 'photos/b', 'photos/photos/b'].map(meant)).toEqual([
      ['cccc-1'],
      ['dddd-1'],
      // What is called so in the bucket itself is meant first.
      ['cccc-2'],
      ['cccc-2'],
    ]);
    expect(() => meant('a')).toThrow('a may be one of cccc-1, dddd-1');
    expect(() => meant('photosa')).toThrow('nothing that waits here');
  });

  it('and by the identifier that such a mount gave it', () => {
    const about = (bucket: string): StateAbout => ({ baseUrl: 'https://a', bucket, bucketName: 'name' });
    const left = [
      leftOf('photos', { 'cccc-1': '/a', 'delete-1': '/b' }, about('bkt-1')),
      leftOf('music', { 'delete-1': '/a' }, about('bkt-2')),
      leftOf('unknown', { 'delete-1': '/a' }),
    ];
    const meant = (word: string): readonly string[] =>
      selectChanges([word], left).map(({ place: { bucket }, changes }) => `${bucket}: ${changes[0]?.id}`);

    expect(['cccc-1@bkt-1', 'delete-1@bkt-2'].map(meant)).toEqual([['photos: cccc-1'], ['music: delete-1']]);
    expect(() => meant('delete-1@bkt-3')).toThrow('nothing that waits here');
    expect(() => meant('cccc-1@bkt-2')).toThrow('nothing that waits here');
  });

  it('once, however often', () => {
    expect(idsOf('only', 'bbbb-2', 'aaaa-3', '/mnt/b/only')).toEqual(['bbbb-2', 'aaaa-3']);
  });

  it('and its word is looked at once, not for each change: `xargs` names thousands of thousands', () => {
    const ids = Array.from({ length: 30 }, (_, number) => String(number).padStart(36, '0'));
    const paths = Object.fromEntries(ids.map((id) => [id, `/folder/${id}.txt`]));
    const looks = vi.spyOn(process, 'cwd');
    onTestFinished(() => {
      looks.mockRestore();
    });

    const selected = selectChanges(
      ids.map((id) => `folder/${id}.txt`),
      [placeOf('/mnt/many', paths)],
    );

    expect(selected.flatMap(({ changes }) => changes)).toHaveLength(ids.length);
    expect(looks.mock.calls.length).toBeLessThanOrEqual(ids.length);
  });

  it.each([
    ['nothing', 'nothing that waits here is called nothing'],
    ['notes.txt', 'notes.txt may be one of aaaa-1, bbbb-1'],
    ['aaaa', 'aaaa may be one of aaaa-1, aaaa-2, aaaa-3'],
    ['aaa', 'nothing that waits here is called aaa'],
  ])('clearly, or not at all: %s', (word, message) => {
    expect(() => idsOf(word)).toThrow(message);
  });
});
