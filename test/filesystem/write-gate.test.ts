/** ARCHITECTURE: whoever reads a file's bytes to store them holds its writers up, and one at a time reads them. */
import { expect, it } from 'vitest';
import { WriteGate } from '../../src/filesystem/write/write-gate.ts';
import { signal } from '../support/signal.ts';

/** Time for whatever need not wait. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('who reads begins when those who were before have read, and who writes when all of them have', async () => {
  const gate = new WriteGate();
  const [first, second] = [signal(), signal()];
  const seen: string[] = [];
  const reading = (name: string, end: Promise<void>): Promise<void> =>
    gate.still(async () => {
      seen.push(`${name} begins`);
      await end;
      seen.push(`${name} ends`);
    });
  const ended = [
    reading('first', first.given),
    reading('second', second.given),
    gate.write(() => Promise.resolve(void seen.push('written'))),
  ];
  await settled();
  expect(seen).toEqual(['first begins']);

  first.give();
  await settled();
  expect(seen.slice(1)).toEqual(['first ends', 'second begins']);
  expect(gate.isClosed).toBe(true);

  second.give();
  await Promise.all(ended);
  expect(seen.slice(3)).toEqual(['second ends', 'written']);
  expect(gate.isClosed).toBe(false);
});

it('who reads waits for all who are writing, and those who come later wait for it', async () => {
  const gate = new WriteGate();
  const [one, other] = [signal(), signal()];
  const seen: string[] = [];
  const writing = [gate.write(() => one.given), gate.write(() => other.given)];
  const reading = gate.still(() => Promise.resolve(void seen.push('read')));
  const late = gate.write(() => Promise.resolve(void seen.push('written')));

  one.give();
  await settled();
  expect(seen).toEqual([]);

  other.give();
  await Promise.all([...writing, reading, late]);
  expect(seen).toEqual(['read', 'written']);
});

it('a write, or a reading, that fails keeps nobody waiting', async () => {
  const gate = new WriteGate();
  const fails = (): Promise<never> => Promise.reject(new Error('failed'));

  await expect(gate.write(fails)).rejects.toThrow('failed');
  await expect(gate.still(fails)).rejects.toThrow('failed');

  expect(await gate.write(() => Promise.resolve('written'))).toBe('written');
  expect(await gate.still(() => Promise.resolve('read'))).toBe('read');
});
