/** What outlives the process? Everything that was answered, and nothing else. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedStore } from '../../src/server/embedded-store.ts';
import { Index, bucketKey } from '../../src/server/index-rows.ts';
import { startEmbeddedService } from '../../src/server/start-server.ts';
import { bytesOf, uploadOf } from '../support/embedded-service.ts';
import { basic, exchange, headOf, jsonOf, openSocket } from '../support/raw-client.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url);
const CHILD = new URL('./serving-child.ts', import.meta.url);

describe('a store in a directory', () => {
  it('has the same buckets, files, visibility, bookmarks and links after a restart', async () => {
    const directory = await newDirectory();
    const before = await EmbeddedStore.open({ directory });
    const old = before.account();
    const { bucket } = await old.createBucket('photos');
    for (const key of ['a', 'b/c', 'd']) await old.putObject(bucket, key, uploadOf(key, 'text/x'));
    await old.createFolder(bucket, 'empty');
    await old.setVisibility(bucket, 'd', 'public');
    const head = await old.headObject(bucket, 'a');
    const { nextPage } = await old.listObjects(bucket, { folder: '', limit: 1 });
    await before.close();

    const store = await EmbeddedStore.open({ directory });
    onTestFinished(() => store.close());
    const service = store.account();

    expect(await service.headObject(bucket, 'a')).toEqual(head);
    expect((await bytesOf((await service.getObject(bucket, 'b/c')).body)).toString()).toBe('b/c');
    expect((await service.getVisibility(bucket, 'd')).visibility).toBe('public');
    const rest = await service.listObjects(bucket, { folder: '', page: nextPage ?? '' });
    expect(rest.folders).toEqual(['b/', 'empty/']);
    expect(rest.objects.map(({ key }) => key)).toEqual(['d']);
    expect(await service.getBucket(bucket)).toMatchObject({ objectCount: 3, sizeBytes: 5 });
  });

  it('keeps no bytes of files that were replaced, deleted, or lost with their bucket', async () => {
    const directory = await newDirectory();
    const store = await EmbeddedStore.open({ directory });
    onTestFinished(() => store.close());
    const service = store.account();
    const { bucket } = await service.createBucket('photos');
    const other = (await service.createBucket('other')).bucket;

    await service.putObject(bucket, 'a', uploadOf('old'));
    await service.putObject(bucket, 'a', uploadOf('new'));
    await service.putObject(bucket, 'b', uploadOf('b'));
    await service.deleteObject(bucket, 'b');
    await service.putObject(other, 'c', uploadOf('c'));
    await service.deleteBucket(other);

    expect(await blobsIn(directory)).toHaveLength(1);
  });

  it('finishes the removal of a bucket that a crash interrupted', async () => {
    const directory = await newDirectory();
    const before = await EmbeddedStore.open({ directory });
    const { bucket } = await before.account().createBucket('photos');
    await before.account().putObject(bucket, 'a', uploadOf('a'));
    await before.close();
    const index = await Index.open(join(directory, 'index'));
    await index.commit([{ type: 'del', key: bucketKey('main', bucket) }]);
    await index.close();

    const store = await EmbeddedStore.open({ directory });
    await store.close();

    expect(await blobsIn(directory)).toEqual([]);
  });

  it('cannot be opened by two at once', async () => {
    const directory = await newDirectory();
    const store = await EmbeddedStore.open({ directory });
    onTestFinished(() => store.close());

    await expect(EmbeddedStore.open({ directory })).rejects.toThrow();
  });
});

describe('the served directory', () => {
  it('keeps its credentials, readable by their owner only, one to write and one to read', async () => {
    const directory = await newDirectory();
    const first = await startEmbeddedService({ directory });
    await first.close();
    const second = await startEmbeddedService({ directory });
    onTestFinished(() => second.close());

    expect(second.allCredentials).toEqual(first.allCredentials);
    expect(second.allCredentials.map(({ access }) => access)).toEqual(['read-write', 'read']);
    expect((await stat(join(directory, 'credentials.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(directory, 'credentials.json'), 'utf8')).toContain(
      first.credentials.accessKeyId,
    );
  });

  it('has all that was answered and nothing of an upload under way after kill -9', async () => {
    const directory = await newDirectory();
    const child = await serveInChild(directory);
    const headers = { Authorization: basic(child.credentials) };
    const made = await exchange(child.baseUrl, {
      method: 'POST',
      path: '/buckets',
      body: '{"name":"photos"}',
      headers,
    });
    const { bucket } = (jsonOf(made) as { data: { bucket: string } }).data;
    await exchange(child.baseUrl, { method: 'PUT', path: `/${bucket}/a`, body: 'whole', headers });
    const socket = await openSocket(child.baseUrl);
    socket.on('error', () => undefined);
    socket.write(headOf('PUT', `/${bucket}/a`, { ...headers, 'Content-Length': '1000000' }));
    socket.write(Buffer.alloc(100_000));
    while ((await readdir(join(directory, 'incoming'))).length === 0)
      await new Promise((resolve) => setImmediate(resolve));

    child.process.kill('SIGKILL');
    await once(child.process, 'exit');
    const store = await EmbeddedStore.open({ directory });
    onTestFinished(() => store.close());

    const { body } = await store.account().getObject(bucket, 'a');
    expect((await bytesOf(body)).toString()).toBe('whole');
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
    expect(await blobsIn(directory)).toHaveLength(1);
  });
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pailfs-server-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

async function blobsIn(directory: string): Promise<string[]> {
  const entries = await readdir(join(directory, 'blobs'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

interface Serving {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

async function serveInChild(directory: string): Promise<Serving> {
  const child = spawn(process.execPath, ['--import', LOADER.href, new URL(CHILD).pathname, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let text = '';
  for await (const piece of child.stdout as AsyncIterable<Buffer>) {
    text += piece.toString();
    if (text.includes('\n')) break;
  }
  return { process: child, ...(JSON.parse(text) as Omit<Serving, 'process'>) };
}
