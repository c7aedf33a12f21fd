import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasOpen } from '../../src/fuse/holders.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** No process has it: numbers end below. */
const NOBODY = 2 ** 22 + 1;

describe.runIf(process.platform === 'linux')('a program', () => {
  it('has a file open as long as one of its descriptors leads there', async () => {
    const file = path.join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    expect(await hasOpen(process.pid, file)).toBe(false);

    const first = await open(file);
    const second = await open(file);
    expect(await hasOpen(process.pid, file)).toBe(true);
    await first.close();
    expect(await hasOpen(process.pid, file)).toBe(true);
    expect(await hasOpen(process.pid, `${file}2`)).toBe(false);
    expect(await hasOpen(NOBODY, file)).toBe(false);
    await second.close();

    expect(await hasOpen(process.pid, file)).toBe(false);
  });
});
