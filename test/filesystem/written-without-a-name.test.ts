/** SEMANTICS: a program goes on to write to a file that it has unlinked: no name leads to that, neither its old one nor a new file's. */
import { expect, it } from 'vitest';
import { drained } from '../support/drained.ts';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToEdit, textAt, writeAt } from '../support/program-acts.ts';
import { textsOf } from '../support/stored-state.ts';

it.each([true, false])(
  'what it writes is seen by nobody else, also when another file has the name (write-back %s) [unlink/open]',
  async (writeBack) => {
    const scene = await openForTest({ settings: { writeBack } });
    const { fs, mounted } = scene;
    await scene.foreignWrite('f', 'old');
    const handle = await openToEdit(fs, '/f');
    await fs.unlink('/f');

    await writeAt(fs, handle, 'O', 0);

    expect(await names(fs, '/')).toEqual([]);
    expect(await errnoOfCall(readFile(fs, '/f'))).toBe('ENOENT');
    await writeFile(fs, '/f', 'new');
    await drained(mounted);
    await writeAt(fs, handle, 'O', 1);
    expect((await readFile(fs, '/f')).toString()).toBe('new');
    expect(await textAt(fs, handle)).toBe('OOd');
    await fs.release(handle);
    expect(await textsOf(scene)).toEqual({ f: 'new' });
  },
);
