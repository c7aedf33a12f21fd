/** The spec does not say what Create a folder does where there is one (§4.6): some services refuse it. */
import { expect, it } from 'vitest';
import { names, openForTest, readFile, writeFile } from '../support/open-for-test.ts';
import { openOverHttp } from '../support/open-over-http.ts';
import { errnoOfCall, LogForTest } from '../support/program-acts.ts';

const REFUSED = { behaviours: { existingFolder: 'refused' } } as const;
const LOST = { operation: 'createFolder', times: 1, fault: { kind: 'lost-answer' } } as const;

it('a folder is made once though the answer was lost', async () => {
  const { mounted, fail } = await openOverHttp({}, REFUSED);
  fail(LOST);

  await mounted.operations.mkdir('/new', 0o755);

  expect(await names(mounted.operations, '/')).toEqual(['new']);
});

it('a folder is renamed though an answer was lost [rename/folders]', async () => {
  const { mounted, fail } = await openOverHttp({}, REFUSED);
  const fs = mounted.operations;
  await fs.mkdir('/d', 0o755);
  await writeFile(fs, '/d/f', 'x');
  fail(LOST);

  await fs.rename('/d', '/e', false);

  expect([await names(fs, '/'), await names(fs, '/e')]).toEqual([['e'], ['f']]);
});

it('a folder that others have just made is EEXIST, and in sight', async () => {
  const { fs, foreignWrite } = await openForTest({ store: REFUSED });
  await names(fs, '/');
  await foreignWrite('new/x', 'x');

  expect(await errnoOfCall(fs.mkdir('/new', 0o755))).toBe('EEXIST');

  expect(await names(fs, '/')).toEqual(['new']);
});

it('a name under which others have just stored a file is EEXIST, and the file in sight', async () => {
  const { fs, foreignWrite } = await openForTest({ store: REFUSED });
  await names(fs, '/');
  await foreignWrite('new', 'theirs');

  expect(await errnoOfCall(fs.mkdir('/new', 0o755))).toBe('EEXIST');

  expect(await names(fs, '/')).toEqual(['new']);
  expect((await readFile(fs, '/new')).toString()).toBe('theirs');
});

it('an emptied folder that the service kept is not asked for again and again [folders/stay]', async () => {
  const log = new LogForTest();
  const { fs, clock, asked, foreignWrite } = await openForTest({
    log,
    store: { behaviours: { folders: 'lasting', existingFolder: 'refused' } },
  });
  await foreignWrite('d/f', 'x');
  await names(fs, '/d');
  await fs.unlink('/d/f');
  asked();

  for (let passed = 0; passed < 90; passed += 3) {
    clock.advance(3000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }

  expect(asked().filter((line) => line === 'createFolder d')).toHaveLength(1);
  expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  expect(await names(fs, '/')).toEqual(['d']);
});
