/** A program opens a file, and then does nothing, or leaves. */
import { expect, it } from 'vitest';
import type { Download, ObjectService } from '../../src/service/object-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, readFile } from '../support/open-for-test.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';

const MIB = 1024 * 1024;
const TTL = 10_000;
const TO_READ = { read: true, write: false, truncate: false };

async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('small files that nobody reads give their memory back after ten seconds [read/memory]', async () => {
  const { fs, foreignWrite, asked, clock } = await openForTest({ settings: { memoryLimit: 8 * MIB } });
  const content = patternedBytes(16 * MIB);
  await foreignWrite('large', content);
  const small = Array.from({ length: 8 }, (_, index) => `s${index}`);
  for (const [index, name] of small.entries()) await foreignWrite(name, patternedBytes(MIB, index + 1));
  await names(fs, '/');
  clock.advance(TTL);
  for (const name of small) await fs.open(`/${name}`, TO_READ);
  await turns();
  for (let second = 0; second < 30; second += 1) clock.advance(1000);
  await names(fs, '/');
  asked();

  expect(Buffer.compare(await readFile(fs, '/large'), content)).toBe(0);

  // The first window, and parts of a quarter of the memory.
  expect(asked()).toHaveLength(9);
});

it('the request of an open that is interrupted is given up a second later [interrupt/given-up]', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { fs, foreignWrite, clock } = await openForTest({
    between: (service) => new Silent(service, signals),
  });
  await foreignWrite('a', 'content');
  await names(fs, '/');
  clock.advance(TTL);
  const interrupt = new AbortController();
  const opening = fs.open('/a', TO_READ, { signal: interrupt.signal });
  const areGivenUp = (): unknown[] => signals.map((signal) => signal?.aborted);
  await expect.poll(areGivenUp).toEqual([false]);

  interrupt.abort();

  await expect(opening).rejects.toMatchObject({ code: 'EINTR' });
  expect(areGivenUp()).toEqual([false]);
  clock.advance(1000);
  expect(areGivenUp()).toEqual([true]);
});

/** Never answers a GET. */
class Silent extends InterceptedService {
  readonly #signals: (AbortSignal | undefined)[];

  constructor(inner: ObjectService, signals: (AbortSignal | undefined)[]) {
    super(inner, (_call, proceed) => proceed());
    this.#signals = signals;
  }

  override getObject(...[, , query]: Parameters<ObjectService['getObject']>): Promise<Download> {
    this.#signals.push(query?.signal);
    return new Promise((_resolve, reject) => {
      query?.signal?.addEventListener('abort', () => {
        reject(new Error('given up'));
      });
    });
  }
}
