/** A listing of the folder above leaves after the last file of a folder has gone from the service, and is here before we know that it has. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { heldRequests } from '../support/held-requests.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';

/** For how long a listing is trusted, milliseconds. */
const TTL = 2000;

it.each(['/d/f', '/p/d/f'])(
  'the folder stays when its last file goes, is filled again, and can be removed (%s) [folders/stay]',
  async (path) => {
    const folder = path.slice(0, path.lastIndexOf('/'));
    const answers = new HeldAnswers();
    const { fs, foreignWrite } = await openForTest({ between: answers.between });
    await foreignWrite(path.slice(1), 'x');
    await names(fs, folder);
    const removal = answers.hold('deleteObject');
    const removed = fs.unlink(path);
    await removal.made;
    await names(fs, '/');
    removal.letGo();
    await removed;

    expect(await fs.getAttributes(folder)).toMatchObject({ kind: 'folder' });
    expect(await names(fs, folder)).toEqual([]);
    await writeFile(fs, path, 'again');
    await fs.unlink(path);
    await fs.rmdir(folder);
    expect(await names(fs, '/')).toEqual(path.startsWith('/p') ? ['p'] : []);
  },
);

it('the folder stays, too, when it was listed before that file was deleted in the background [folders/stay] [write-back/unlink]', async () => {
  const [answers, requests] = [new HeldAnswers(), heldRequests('deleteObject')];
  const { fs, clock, mounted, foreignWrite } = await openForTest({
    settings: { writeBack: true, metadataTtl: TTL },
    between: (service) => answers.between(requests.between(service)),
  });
  await foreignWrite('d/f', 'x');
  await names(fs, '/d');
  const removal = answers.hold('deleteObject');
  await fs.unlink('/d/f');
  const deleted = drained(mounted);
  await requests.begun;
  expect(await names(fs, '/')).toEqual(['d']);
  clock.advance(TTL + 1);
  requests.letGo();
  await removal.made;
  expect(await names(fs, '/')).toEqual(['d']);

  await fs.mkdir('/d/new', 0o755);

  removal.letGo();
  await deleted;
  expect(await names(fs, '/d')).toEqual(['new']);
});
