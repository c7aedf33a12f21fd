/** What programs read where the memory has room for a few blocks alone. */
import { expect, it } from 'vitest';
import { ReadStream } from '../../src/content/read-stream.ts';
import { VersionReader } from '../../src/content/reader.ts';
import { FakeVersion, Reading, settle, SMALL } from './reading.ts';

it.each([
  ['opens after a while', {}],
  ['may open next', null],
])(
  'a small file that a program %s leaves its room to what is read after it [read/memory]',
  async (_, waiter) => {
    // One block is more than a quarter of it: such a file goes to the local disk, and takes no memory on its way.
    const reading = await Reading.begin({ ...SMALL, size: 1000, cacheBytes: 3 * SMALL.blockSize });
    for (let id = 2; id < 8; id += 1) {
      const version = new FakeVersion(14);
      version.id = id;
      const reader = new VersionReader(reading.context, `small${id}`, version);
      reading.service.replace(reading.content.subarray(0, 14), 'first');
      reader.acquire();
      await reader.fetchSmall(waiter);
      await settle();
      reader.release();
      await reader.dispose();
    }
    reading.service.replace(reading.content, 'first');

    expect(reading.cache.spokenFor).toBe(0);
    expect(await reading.reads(600, 100, new ReadStream())).toBe(true);
  },
);
