/** The service's ETags are no MD5: nobody can tell by them which bytes are there. */
import { expect, it } from 'vitest';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

const MIB = 1024 * 1024;

it.each([
  ['of five times the memory of a read', { memoryLimit: 8 * MIB }],
  ['with cache=off', { cache: 'off' }],
] as const)(
  'a file that was stored here is read at once, %s, where no Date is sent either',
  async (_, settings) => {
    const { fs } = await openForTest({
      store: { behaviours: { etag: 'random', date: 'missing' } },
      settings,
    });
    const content = patternedBytes(5 * MIB);
    await writeFile(fs, '/a', content);

    expect(Buffer.compare(await readFile(fs, '/a'), content)).toBe(0);
  },
);

it('the kernel keeps nothing of a file stored here whose name is guessed by its time [kernel/versions]', async () => {
  const { fs, clock, foreignWrite } = await openForTest({
    store: { behaviours: { etag: 'random', date: 0 } },
  });
  await writeFile(fs, '/a', 'ours!!');
  await foreignWrite('a', 'theirs');
  const toRead = { read: true, write: false, truncate: false };
  const { identity: ours } = await fs.open('/a', toRead);
  clock.advance(11_000);
  await names(fs, '/');

  const { identity } = await fs.getAttributes('/a');
  const later = await fs.open('/a', toRead);

  expect(identity).not.toBe(ours);
  expect(later.identity).toBe(identity);
  expect((await readFile(fs, '/a')).toString()).toBe('theirs');
});

it('a file that is closed leaves nothing in memory with cache=off', async () => {
  const { fs, mounted } = await openForTest({ settings: { cache: 'off' } });

  await writeFile(fs, '/a', patternedBytes(5 * MIB));

  expect(mounted.counts().inMemory).toBe(0);
});
