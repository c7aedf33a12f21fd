/** Does a file that could not be fetched stand in the way of another of its name? */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { uploadOf } from '../../support/embedded-service.ts';
import { openOwnHome, runHere } from '../../support/run-here.ts';

it('no: that is fetched into the directory', async () => {
  const { home, server } = await openOwnHome();
  await server.direct.putObject(server.bucket, 'there/name', uploadOf('bytes'));
  await mkdir(join(home, 'in'));

  const told = await runHere(['get', 'photos:missing/name', 'photos:there/name', join(home, 'in')]);

  expect(told).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('fetched photos:there/name') as string,
  });
  expect(await readFile(join(home, 'in', 'name'), 'utf8')).toBe('bytes');
});
