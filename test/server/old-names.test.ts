/** Do the older names of List files still work? (§4.11, §9) */
import { describe, expect, it } from 'vitest';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { basic, exchange, jsonOf } from '../support/raw-client.ts';

interface OldPage {
  readonly folder: string;
  readonly prefix?: string;
  readonly folders: string[];
  readonly objects: { readonly key: string }[];
  readonly next_page: string | null;
  readonly next_token?: string | null;
}

describe('a listing asked for with the older names', () => {
  it.each(['f', 'f/'])(
    'prefix=%s and token walks the folder and answers in older fields too',
    async (prefix) => {
      const { list } = await openListing();

      const first = (await list(`?prefix=${prefix}&limit=2`)).page;
      const token = encodeURIComponent(first.next_token ?? '');
      const second = (await list(`?prefix=${prefix}&limit=2&token=${token}`)).page;

      expect(first).toMatchObject({ folder: 'f', prefix: 'f/', next_page: first.next_token });
      expect([...first.objects, ...second.objects].map(({ key }) => key)).toEqual(['f/a', 'f/b', 'f/c']);
      expect(second).toMatchObject({ next_token: null, next_page: null });
    },
  );

  it('has an empty prefix at the top', async () => {
    const { list } = await openListing();

    expect((await list('?prefix=')).page).toMatchObject({
      folder: '',
      prefix: '',
      folders: ['f/'],
      next_token: null,
    });
  });

  it('answers in new fields alone when asked with new names', async () => {
    const { list } = await openListing();

    const { page } = await list('?folder=f');

    expect(Object.keys(page)).toEqual(['bucket', 'folder', 'folders', 'objects', 'has_next', 'next_page']);
  });

  it('refuses an altered token with a text about the token, and a page with one about the page', async () => {
    const { list } = await openListing();

    const token = await list('?token=2');
    const page = await list('?page=2');

    expect([token.status, page.status]).toEqual([400, 400]);
    expect(token.page).toEqual({ error: expect.stringMatching(/page token is not valid/) as string });
    expect(page.page).toEqual({ error: expect.stringMatching(/page is not valid.*next_page/) as string });
  });
});

async function openListing(): Promise<{
  list: (query: string) => Promise<{ status: number; page: OldPage }>;
}> {
  const { baseUrl, bucket, direct, credentials } = await startEmbeddedServer();
  for (const key of ['f/a', 'f/b', 'f/c']) await direct.putObject(bucket, key, uploadOf(key));
  return {
    list: async (query) => {
      const headers = { Authorization: basic(credentials) };
      const answer = await exchange(baseUrl, { method: 'GET', path: `/${bucket}/${query}`, headers });
      return { status: answer.status, page: jsonOf(answer) as OldPage };
    },
  };
}
