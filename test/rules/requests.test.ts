/** Does the service answer as §4.11 and §8 say where pailfs itself never asks so, but other clients may? Over a raw connection. */
import { describe, expect, it } from 'vitest';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';
import { basic, exchange, jsonOf } from '../support/raw-client.ts';
import { SERVICES } from './scene.ts';

interface Page {
  readonly folders: readonly string[] | null;
  readonly objects: readonly unknown[] | null;
  readonly next_page: string | null;
}

interface Told {
  readonly status: number;
  readonly document: unknown;
}

async function ask({ baseUrl, credentials }: EmbeddedServer, path: string): Promise<Told> {
  const headers = { Authorization: basic(credentials) };
  const answer = await exchange(baseUrl, { method: 'GET', path, headers });
  return { status: answer.status, document: jsonOf(answer) };
}

async function store({ direct, bucket }: EmbeddedServer, files: number): Promise<void> {
  for (let n = 0; n < files; n += 1) await direct.putObject(bucket, `f-${n}`, uploadOf('x'));
}

/** How many names each page has. */
async function pageSizes(server: EmbeddedServer): Promise<number[]> {
  const sizes: number[] = [];
  for (let page: string | null = ''; page !== null;) {
    const query: string = page === '' ? '' : `?page=${encodeURIComponent(page)}`;
    const document = (await ask(server, `/${server.bucket}/${query}`)).document as Page;
    sizes.push((document.folders ?? []).length + (document.objects ?? []).length);
    page = document.next_page;
  }
  return sizes;
}

describe.each(SERVICES)('a request to %s', (_service, behaviours) => {
  it('for files without a limit gets pages of 100', async () => {
    const server = await startEmbeddedServer({ behaviours });
    await store(server, 300);

    expect(Math.max(...(await pageSizes(server)))).toBe(100);
  });

  it('for more than 1000 files at once gets no more, or is refused', async () => {
    const server = await startEmbeddedServer({ behaviours });
    await store(server, 1001);

    const { status, document } = await ask(server, `/${server.bucket}/?limit=1001`);

    const { objects } = document as Page;
    expect(status === 400 || (objects ?? []).length <= 1000).toBe(true);
  });

  it.each(['numeric', 'altered', 'cut short', 'of another folder'])(
    'for files with a bookmark that is %s is refused with {error}',
    async (kind) => {
      const server = await startEmbeddedServer({ behaviours });
      await store(server, 3);
      const { nextPage } = await server.direct.listObjects(server.bucket, { folder: '', limit: 1 });
      const issued = nextPage ?? '';
      const altered = `${issued.startsWith('A') ? 'B' : 'A'}${issued.slice(1)}`;
      const page = { numeric: '2', altered, 'cut short': issued.slice(4) }[kind] ?? issued;
      const folder = kind === 'of another folder' ? 'other' : '';

      const query = `?folder=${folder}&page=${encodeURIComponent(page)}`;
      expect(await ask(server, `/${server.bucket}/${query}`)).toEqual({
        status: 400,
        document: { error: expect.stringMatching(/page is not valid.*next_page of the previous/) as string },
      });
    },
  );

  it('for buckets with a bookmark that was never issued is refused with {message}', async () => {
    const server = await startEmbeddedServer({ behaviours });

    expect(await ask(server, '/buckets?page=2')).toEqual({
      status: 400,
      document: {
        message: expect.stringMatching(/page is not valid.*next_page of the previous/) as string,
        status: 400,
      },
    });
  });
});

describe.each(SERVICES.slice(0, 1))('a request to %s', (_service, behaviours) => {
  it('for buckets without a limit gets 50', async () => {
    const server = await startEmbeddedServer({ behaviours });
    for (let n = 1; n < 50; n += 1) await server.direct.createBucket(`bucket-${n}`);

    const { document } = await ask(server, '/buckets');

    const { data } = document as { readonly data: { readonly buckets: readonly unknown[] } };
    expect(data.buckets).toHaveLength(50);
  });
});

describe.each(SERVICES.slice(1, 2))('a request to %s', (_service, behaviours) => {
  it('for buckets may have a limit of 100, and no more', async () => {
    const server = await startEmbeddedServer({ behaviours });

    const most = await ask(server, '/buckets?limit=100');
    const more = await ask(server, '/buckets?limit=101');

    expect([most.status, more.status]).toEqual([200, 400]);
  });
});
