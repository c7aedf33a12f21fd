/** The request budget (design §4): exact lists of operations, for a warm pool and no faults: reading. */
import { describe, expect, it } from 'vitest';
import { FIRST_WINDOW, PART } from '../../src/content/read-plan.ts';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { names, openForTest, readFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openToRead } from '../support/program-acts.ts';

describe('reading', () => {
  it.each<Behaviours['range']>(['honoured', 'ignored', 'refused'])(
    'reads a small listed file where Range is %s with one GET, again for nothing, and after the TTL with one look [fresh/open]',
    async (range) => {
      const { fs, foreignWrite, asked, clock } = await openForTest({ store: { behaviours: { range } } });
      for (let index = 0; index < 1001; index += 1) await foreignWrite(`f${index}`, 'x');
      await names(fs, '/');
      asked();

      await readFile(fs, '/f1');
      await readFile(fs, '/f1');
      expect(asked()).toEqual(['getObject f1']);
      clock.advance(10_000);
      await readFile(fs, '/f1');

      expect(asked()).toEqual(['headObject f1']);
    },
  );

  it.each<[Behaviours['range'], number]>([
    ['honoured', 3],
    ['ignored', 1],
    ['refused', 2],
  ])('reads a large file in order where Range is %s with %i GETs [read/ranges]', async (range, gets) => {
    const { fs, foreignWrite, asked } = await openForTest({ store: { behaviours: { range } } });
    const bytes = patternedBytes(FIRST_WINDOW + PART + 5);
    await foreignWrite('big', bytes);
    await names(fs, '/');
    asked();

    expect((await readFile(fs, '/big')).equals(bytes)).toBe(true);
    expect(asked()).toEqual(Array<string>(gets).fill('getObject big'));
  });

  it.each<Behaviours['range']>(['honoured', 'ignored', 'refused'])(
    'reads a large file again where Range is %s for nothing, and after the TTL with one look',
    async (range) => {
      const { fs, foreignWrite, asked, clock } = await openForTest({ store: { behaviours: { range } } });
      const bytes = patternedBytes(FIRST_WINDOW + PART + 5);
      await foreignWrite('big', bytes);
      for (let index = 0; index < 1000; index += 1) await foreignWrite(`f${index}`, 'x');
      await names(fs, '/');
      await readFile(fs, '/big');
      asked();

      expect((await readFile(fs, '/big')).equals(bytes)).toBe(true);
      expect(asked()).toEqual([]);
      clock.advance(10_000);
      expect((await readFile(fs, '/big')).equals(bytes)).toBe(true);

      expect(asked()).toEqual(['headObject big']);
    },
  );

  it('reads the beginning of a large file that comes a byte at a time with 6 GETs and one of the whole, and others with one', async () => {
    const { fs, foreignWrite, asked } = await openForTest({ store: { behaviours: { range: 'crumbs' } } });
    const bytes = patternedBytes(FIRST_WINDOW + PART + 5);
    for (const name of ['one', 'two']) await foreignWrite(name, bytes);
    await names(fs, '/');
    asked();

    const handle = await openToRead(fs, '/one');
    await fs.read(handle, Buffer.alloc(100), 0);
    await fs.release(handle);
    expect(asked()).toEqual(Array<string>(7).fill('getObject one'));
    expect((await readFile(fs, '/one')).equals(bytes)).toBe(true);
    expect((await readFile(fs, '/two')).equals(bytes)).toBe(true);

    expect(asked()).toEqual(['getObject one', 'getObject two']);
  });

  it('remembers for the mount that Range is refused [read/no-ranges]', async () => {
    const { fs, foreignWrite, asked } = await openForTest({ store: { behaviours: { range: 'refused' } } });
    await foreignWrite('one', patternedBytes(FIRST_WINDOW + 5));
    await foreignWrite('two', patternedBytes(FIRST_WINDOW + 5, 2));
    await names(fs, '/');
    await readFile(fs, '/one');
    asked();

    await readFile(fs, '/two');

    expect(asked()).toEqual(['getObject two']);
  });
});
