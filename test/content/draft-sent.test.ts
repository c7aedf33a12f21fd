/** The file of a draft is shorter than it was, or changes, just while it is read for an upload: what leaves, and what is its MD5 then? */
import { createHash } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { DraftFolder } from '../../src/content/draft-folder.ts';
import { CONTENT_START } from '../../src/content/draft-header.ts';
import { Draft } from '../../src/content/draft.ts';
import { nodeLocalFiles, type LocalFiles } from '../../src/content/local-files.ts';
import { FailingDisk } from '../support/failing-disk.ts';
import { draftFactsOf } from '../support/journal-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function written(content: string, files: LocalFiles = nodeLocalFiles): Promise<Draft> {
  const folder = new DraftFolder(await temporaryDirectory(), files);
  const draft = new Draft(await folder.create(draftFactsOf('f')), new FailingDisk().budget().open());
  onTestFinished(() => draft.remove());
  // In two writes: it is not hashed yet.
  await draft.write(Buffer.from(content.slice(0, 1)), 0);
  await draft.write(Buffer.from(content.slice(1)), 1);
  return draft;
}

/** Resolves when all of it has left. */
async function send(draft: Draft): Promise<void> {
  for await (const piece of draft.body(undefined).open()) expect(piece.length).toBeGreaterThan(0);
}

it('nothing that was never in it, where something has cut it', async () => {
  const draft = await written('precious');
  await truncate(draft.path, CONTENT_START + 3);

  await expect(send(draft)).rejects.toThrow('the draft changed while it was being uploaded');
});

it('an MD5 is that of what it holds, where it has changed while it was read', async () => {
  let afterRead = (): Promise<void> => Promise.resolve();
  const files: LocalFiles = {
    ...nodeLocalFiles,
    create: async (directory) => {
      const file = await nodeLocalFiles.create(directory);
      const read = file.read.bind(file);
      file.read = async (into, position) => {
        const count = await read(into, position);
        await afterRead();
        return count;
      };
      return file;
    },
  };
  const draft = await written('old bytes', files);
  afterRead = async () => {
    afterRead = () => Promise.resolve();
    await draft.write(Buffer.from('new'), 0);
  };

  await expect(send(draft)).rejects.toThrow('the draft changed while it was being uploaded');

  expect(await draft.md5()).toBe(createHash('md5').update('new bytes').digest('hex'));
});

it('of an upload that is tried again nothing has left at first', async () => {
  const draft = await written('bytes');
  await send(draft);
  const before = draft.handedOver;

  const again = draft.body(undefined).open()[Symbol.asyncIterator]();
  await again.next();

  expect([before, draft.handedOver]).toEqual([5, 0]);
});
