/** A listing of the folder above leaves after the last file of a folder has gone from the service, and is here before we know that it has. */
import { expect, it } from 'vitest';
import { HeldAnswers } from '../support/held-answers.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';

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
