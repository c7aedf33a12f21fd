/** All pages of a folder, whatever the service does with bookmarks (§4.11); and keys and paths. */
import { describe, expect, it } from 'vitest';
import type { ObjectPage } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { childOf, isUsableName, keyOfPath, nameOf, parentOf } from '../../src/store/keys.ts';
import { openEmbeddedService, uploadOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';

type Answer = Partial<ObjectPage> | 'stale' | 'missing';

/** A store whose listing answers with `answers`, the last of them for ever; and the bookmarks that it was asked with. */
async function scripted(...answers: Answer[]) {
  const { service, bucket } = await openEmbeddedService();
  const asked: (string | undefined)[] = [];
  const odd = new InterceptedService(service, (_call, proceed) => proceed());
  odd.listObjects = (_bucket, { folder, page }) => {
    asked.push(page);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === 'stale' || answer === 'missing') {
      const kind = answer === 'stale' ? 'stale-bookmark' : answer;
      return Promise.reject(new Refusal(kind, 'not valid', { operation: 'listObjects' }));
    }
    return Promise.resolve({
      bucket,
      folder,
      folders: [],
      objects: [],
      skipped: 0,
      nextPage: null,
      ...answer,
    });
  };
  return { store: new BucketStore(odd, bucket, createGates()), asked };
}

async function foldersOf(store: BucketStore, first?: ObjectPage): Promise<string[]> {
  let folders: string[] = [];
  for await (const page of store.pages('', { first, restarted: () => (folders = []) }))
    folders.push(...page.folders);
  return folders;
}

describe('the pages of a folder', () => {
  it('are asked for with the bookmarks as received, until there is none', async () => {
    const { store, asked } = await scripted(
      { folders: ['a/'], nextPage: '+/=' },
      { nextPage: 'two' },
      { folders: ['b/'] },
    );

    expect(await foldersOf(store)).toEqual(['a/', 'b/']);

    expect(asked).toEqual([undefined, '+/=', 'two']);
  });

  it('begin with one that is already there', async () => {
    const { store, asked } = await scripted({ folders: ['b/'] });
    const first = { bucket: '', folder: '', folders: ['a/'], objects: [], skipped: 0, nextPage: 'next' };

    expect(await foldersOf(store, first)).toEqual(['a/', 'b/']);

    expect(asked).toEqual(['next']);
  });

  it('begin anew when a bookmark goes stale, without the names of the first try', async () => {
    const { store, asked } = await scripted({ folders: ['old/'], nextPage: '1' }, 'stale', {
      folders: ['new/'],
    });

    expect(await foldersOf(store)).toEqual(['new/']);

    expect(asked).toEqual([undefined, '1', undefined]);
  });

  it('begin anew also where the first was there already', async () => {
    const page = { bucket: 'b', folder: '', folders: ['old/'], objects: [], skipped: 0, nextPage: 'old' };
    const { store, asked } = await scripted('stale', { folders: ['new/'] });

    expect(await foldersOf(store, page)).toEqual(['new/']);

    expect(asked).toEqual(['old', undefined]);
  });

  it('begin anew when a later one is missing: only the first says that there is no such folder', async () => {
    const { store, asked } = await scripted({ folders: ['old/'], nextPage: '1' }, 'missing', {
      folders: ['new/'],
    });

    expect(await foldersOf(store)).toEqual(['new/']);

    expect(asked).toEqual([undefined, '1', undefined]);
  });

  it('are missing when the first is', async () => {
    const { store } = await scripted('missing');

    await expect(foldersOf(store)).rejects.toMatchObject({ kind: 'missing' });
  });

  it('are given up when bookmarks always go stale', async () => {
    const { store } = await scripted('stale');

    await expect(foldersOf(store)).rejects.toMatchObject({ kind: 'stale-bookmark' });
  });

  it('are given up when the same bookmark comes again', async () => {
    const { store, asked } = await scripted({ folders: ['a/'], nextPage: 'same' });

    await expect(foldersOf(store)).rejects.toMatchObject({ kind: 'malformed' });
    expect(asked).toHaveLength(2);
  });

  it('may be empty, as long as they end', async () => {
    const empty = Array.from({ length: 900 }, (_, index) => ({ nextPage: String(index) }));
    const { store } = await scripted(...empty, { folders: ['a/'] });

    expect(await foldersOf(store)).toEqual(['a/']);
  });

  it('are asked for one ahead of what is looked at, as long as somebody wants them all', async () => {
    const { store, asked } = await scripted({ nextPage: '1' }, { nextPage: '2' }, { nextPage: '3' }, {});
    const askedAtPage: number[] = [];

    for await (const page of store.pages('', { goesOn: () => askedAtPage.length < 2 })) {
      askedAtPage.push(asked.length);
      if (page.nextPage === '3') break;
    }

    // With the first two pages the next one is under way; then nobody knows whether it is wanted.
    expect(askedAtPage).toEqual([2, 3, 3]);
  });

  it('begin anew when the bookmark of a page that was asked for ahead goes stale', async () => {
    const { store, asked } = await scripted({ folders: ['old/'], nextPage: '1' }, 'stale', {
      folders: ['new/'],
    });
    let folders: string[] = [];

    const walk = { goesOn: () => true, restarted: () => (folders = []) };
    for await (const page of store.pages('', walk)) folders.push(...page.folders);

    expect(folders).toEqual(['new/']);
    expect(asked).toEqual([undefined, '1', undefined]);
  });

  it('that were asked for ahead fail in silence when nobody takes them', async () => {
    const { store, asked } = await scripted({ nextPage: '1' }, 'stale');

    for await (const page of store.pages('', { goesOn: () => true })) {
      expect(page.nextPage).toBe('1');
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));

    expect(asked).toEqual([undefined, '1']);
  });

  it('are those of the service for 1,001 names', async () => {
    const { service, direct, bucket, requests } = await openEmbeddedService();
    for (let index = 0; index < 1001; index += 1) await direct.putObject(bucket, `${index}/x`, uploadOf(''));

    expect(await foldersOf(new BucketStore(service, bucket, createGates()))).toHaveLength(1001);

    expect(requests.count('listObjects')).toBe(2);
  });
});

describe('keys and paths', () => {
  it('are each other without the first slash', () => {
    expect(keyOfPath('/a/b')).toBe('a/b');
    expect(keyOfPath('/')).toBe('');
    expect([parentOf('/a/b'), parentOf('/a'), nameOf('/a/b')]).toEqual(['/a', '/', 'b']);
    expect([childOf('/', 'a'), childOf('/a', 'b')]).toEqual(['/a', '/a/b']);
  });

  it.each(['', '.', '..', 'a/b', 'a\0b', 'é'.repeat(128)])('%j can be no name', (name) => {
    expect(isUsableName(name)).toBe(false);
  });

  it.each(['...', '.a', ' ', '\n', '\\', 'é'.repeat(127)])('%j can be a name', (name) => {
    expect(isUsableName(name)).toBe(true);
  });
});
