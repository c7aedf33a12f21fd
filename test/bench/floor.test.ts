/** What everybody is compared with: plain HTTP does each workload with the fewest requests that do it, and notices what is wrong. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { StoredFile } from '../../bench/contents/contents.ts';
import { HttpFloor } from '../../bench/floor/http-floor.ts';
import { listingScenes } from '../../bench/reads/listing-scenes.ts';
import { smallFileScenes } from '../../bench/reads/small-file-scenes.ts';
import type { Step } from '../../bench/storage/scenes.ts';
import { startEmbeddedServer, uploadOf, type EmbeddedServer } from '../support/embedded-service.ts';

describe('plain requests', () => {
  let service: EmbeddedServer;

  beforeEach(async () => {
    service = await startEmbeddedServer();
  });

  it.each([1, 8])('list a folder and a tree, %i at a time', async (width) => {
    const { scenes, steps } = listingScenes({ folders: [40, 1001], treeWidth: 5, missing: 100 });
    const [short, long] = steps.listings;
    for (const { contents } of scenes.slice(1, 3)) await store(filesOf(contents));

    expect(await requestsOf(long, width)).toEqual({ listObjects: 2 });
    expect(await requestsOf(steps.find, width)).toEqual({ listObjects: 6 });
    await expect(requestsOf(short, width)).rejects.toThrow('should not be there');
  });

  it('know from one listing that names are missing', async () => {
    const { scenes, steps } = listingScenes({ folders: [40, 60], treeWidth: 1, missing: 100 });
    await store(filesOf(scenes.at(-1)?.contents ?? null));

    expect(await requestsOf(steps.missing, 1)).toEqual({ listObjects: 1 });
  });

  it('read small files one by one and eight at a time, each once', async () => {
    const { scenes, steps } = smallFileScenes(30);
    for (const { contents } of scenes) await store(filesOf(contents));

    expect(await requestsOf(steps.oneByOne, 1)).toEqual({ listObjects: 1, getObject: 30 });
    expect(await requestsOf(steps.eightAtATime, 8)).toEqual({ listObjects: 1, getObject: 30 });
    expect(await requestsOf(steps.grep, 8)).toEqual({ listObjects: 2, getObject: 30 });
    await service.direct.putObject(service.bucket, 'small/file-00007.dat', uploadOf('other bytes'));
    await expect(requestsOf(steps.oneByOne, 1)).rejects.toThrow('wrong bytes in small/file-00007.dat');
  });

  it('ask for no more at a time than they may', async () => {
    const floor = openFloor(3);
    let [running, most] = [0, 0];

    await floor.each(Array.from({ length: 20 }), async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });

    expect([most, running]).toEqual([3, 0]);
  });

  it('fail when the service refuses', async () => {
    await expect(openFloor(1).get('not there', undefined, () => undefined)).rejects.toThrow('404');
  });

  /** Of the step, by their kinds. */
  async function requestsOf(step: Step | undefined, width: number): Promise<Record<string, number>> {
    service.requests.reset();
    await step?.onFloor?.(openFloor(width), (check) => {
      check();
    });
    const counts: Record<string, number> = {};
    for (const operation of service.requests.operations) counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  function openFloor(width: number): HttpFloor {
    const servicePort = Number(new URL(service.baseUrl).port);
    const floor = new HttpFloor(
      { ...service.credentials, bucket: service.bucket, servicePort, s3Port: 0 },
      width,
    );
    onTestFinished(() => floor.close());
    return floor;
  }

  async function store(files: readonly StoredFile[]): Promise<void> {
    for (const { key, bytes } of files)
      await service.direct.putObject(service.bucket, key, uploadOf(Buffer.from(bytes)));
  }
});

function filesOf(contents: { readonly files: readonly StoredFile[] } | object | null): readonly StoredFile[] {
  return contents !== null && 'files' in contents ? contents.files : [];
}
