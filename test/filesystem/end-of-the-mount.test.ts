/** What happens to bytes that are on their way when the mount ends? */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { openForTest } from '../support/open-for-test.ts';
import { openToRewrite } from '../support/program-acts.ts';

/** Milliseconds for each of the 16 pieces, and without any: the whole takes longer than the patience, no piece does. */
const PIECE = 300;
const PATIENCE = 4000;

it('an upload that moves is waited for, however long it takes [write/unmount]', async () => {
  const { fs, mounted, service, stored, foreignWrite } = await openForTest();
  const putObject = service.putObject.bind(service);
  service.putObject = (bucket, key, body, options) =>
    putObject(bucket, key, { ...body, open: () => slowly(body.open()) }, options);
  const content = patternedBytes(8 * 1024 * 1024);
  await foreignWrite('f', 'old');
  const handle = await openToRewrite(fs, '/f');
  await fs.write(handle, content, 0);

  const unsent = await mounted.close({ patience: PATIENCE });

  expect(unsent).toEqual([]);
  expect(Buffer.compare(await stored('f'), content)).toBe(0);
});

it('whoever ends it early is told at once what stays here [write/unmount]', async () => {
  const { fs, mounted, service } = await openForTest();
  service.putObject = () => new Promise(() => undefined);
  const handle = await openToRewrite(fs, '/f');
  await fs.write(handle, Buffer.from('kept'), 0);

  const unsent = await mounted.close({ patience: 3_600_000, giveUp: AbortSignal.timeout(10) });

  expect(unsent).toMatchObject([{ path: '/f', reason: 'there was no time left' }]);
});

async function* slowly(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    await delay(PIECE);
    yield piece;
  }
}
