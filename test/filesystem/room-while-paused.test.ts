/** SEMANTICS: who finds no room while the account takes no uploads is told, and does not wait for what nobody sends. */
import { expect, it } from 'vitest';
import { openForTest, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, openToRewrite } from '../support/program-acts.ts';

it.each([402, 503])(
  'a write without room is told ENOSPC when uploads with --write-back have only failed with %i for a minute [write/no-space]',
  async (status) => {
    const scene = await openForTest({ settings: { cache: 'disk', cacheSize: 100_000, writeBack: true } });
    const { fs, faults, clock, mounted } = scene;
    faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status } });
    await writeFile(fs, '/a', new Uint8Array(80_000));
    clock.advance(1000);
    await expect
      .poll(async () => (clock.advance(1000), (await mounted.unsent.list())[0]?.code))
      .toMatch(/EDQUOT|EIO/);

    const handle = await openToRewrite(fs, '/new');
    let outcome = 'waits';
    void errnoOfCall(fs.write(handle, new Uint8Array(80_000), 0)).then((errno) => (outcome = errno));
    for (let second = 0; second < 3600 && outcome === 'waits'; second += 10) {
      clock.advance(10_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(outcome).toBe('ENOSPC');
    await fs.release(handle);
  },
);
