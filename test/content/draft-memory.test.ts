/** In how much memory does a draft leave, when whoever sends it says which bytes have left? */
import { expect, it, onTestFinished } from 'vitest';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { Draft } from '../../src/content/draft.ts';
import { nodeLocalFiles } from '../../src/content/local-files.ts';
import type { UploadBody } from '../../src/service/object-service.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { patternedBytes } from '../support/patterned-bytes.ts';
import { sendAll } from '../support/sent-pieces.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MIB = 1024 * 1024;
const content = patternedBytes(4 * MIB + 70_000);

async function body(): Promise<UploadBody> {
  const folder = new DraftFolder(await temporaryDirectory(), nodeLocalFiles);
  const draft = new Draft(await folder.create(draftFactsOf('f')), new FailingDisk().budget().open());
  onTestFinished(() => draft.remove());
  await draft.write(content, 0);
  return draft.body(undefined);
}

it('in that of two chunks and its end, when each piece is given back once the next is there', async () => {
  const sent = await sendAll(await body());

  expect(sent.content.equals(content)).toBe(true);
  expect(sent.memory).toBe(MIB + 70_000);
});

it('in one for each of its chunks, when nothing is given back', async () => {
  const upload = await body();
  const pieces: Uint8Array[] = [];

  for await (const piece of upload.open()) pieces.push(piece);

  expect(Buffer.concat(pieces).equals(content)).toBe(true);
  expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(9);
});

it('a piece in the middle that is given back takes its neighbours nothing', async () => {
  const upload = await body();
  const pieces: Uint8Array[] = [];

  for await (const piece of upload.open()) {
    pieces.push(piece);
    if (pieces.length % 4 !== 0) upload.giveBack?.(piece);
  }

  expect(Buffer.concat(pieces).equals(content)).toBe(true);
});

it('what is given back twice is used once', async () => {
  const upload = await body();
  const reading = upload.open()[Symbol.asyncIterator]();
  const next = async (): Promise<Uint8Array> => {
    const result = await reading.next();
    if (result.done === true) throw new Error('there is no more');
    return result.value;
  };
  const [first] = [await next(), await next(), await next()];
  const last = await next();
  expect(last.buffer).toBe(first.buffer);

  upload.giveBack?.(last);
  upload.giveBack?.(last);
  const pieces: Uint8Array[] = [];
  for (let piece = 4; piece < 16; piece += 1) pieces.push(await next());

  expect(Buffer.concat(pieces).equals(content.subarray(MIB / 2, 2 * MIB))).toBe(true);
});

it('bytes of a try that came to nothing are not those of the next, where nobody has said that they have left', async () => {
  const upload = await body();
  const cut: Uint8Array[] = [];
  for await (const piece of upload.open()) {
    if (cut.push(piece) === 6) break;
  }

  for await (const piece of upload.open()) upload.giveBack?.(piece);

  expect(Buffer.concat(cut).equals(content.subarray(0, (MIB * 3) / 4))).toBe(true);
});
