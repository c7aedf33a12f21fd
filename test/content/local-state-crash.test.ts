import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { put } from '../../src/content/journal/journal.ts';
import { nodeLocalFiles, writeFully } from '../../src/content/local-files.ts';
import { openLocalState, type LocalState } from '../../src/content/local-state.ts';
import { deletionOf, draftFactsOf, draftRecordOf } from '../support/journal-records.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;
const CHILD = new URL('./taking-over-child.ts', import.meta.url);
/** Milliseconds after the beginning at which the process is killed, wherever it is then. */
const MOMENTS = [0, 15, 40];
const DIRECTORIES = 4;
const DRAFTS = 5;

async function open(directories: [string, ...string[]]): Promise<LocalState> {
  const parts = { files: nodeLocalFiles, clock: new ManualClock(), log: silentLog };
  return openLocalState(directories, parts);
}

async function leaveDrafts(directory: string, n: number): Promise<void> {
  await mkdir(directory);
  const state = await open([directory]);
  for (let index = 0; index < DRAFTS; index += 1) {
    const facts = draftFactsOf(`${n}-${index}`, { sealed: { size: 4, md5: null, at: 1 } });
    const file = await state.drafts.create(facts);
    await writeFully(file, Buffer.from('safe'), 0);
    await file.sync();
    await file.close();
    await state.journal.commit([put('draft', draftRecordOf(file.id, { facts, sequence: index }))]);
  }
  await state.journal.commit([put('deletion', deletionOf(99, { key: `gone-${n}` }))]);
  await state.close();
}

async function takeOverAndKill(directories: readonly string[], moment: number): Promise<void> {
  const child = fork(CHILD, directories, { execArgv: ['--import', LOADER] });
  await once(child, 'message');
  const end = once(child, 'close');
  await sleep(moment);
  child.kill('SIGKILL');
  await end;
}

describe('a mount that is killed while it takes over what dead mounts left', () => {
  it('loses nothing, and leaves nothing twice', async () => {
    const home = await temporaryDirectory();
    for (let n = 0; n < DIRECTORIES; n += 1) await leaveDrafts(join(home, String(n)), n);

    for (const moment of MOMENTS) {
      const left = (await readdir(home)).sort();
      await takeOverAndKill(
        left.map((name) => join(home, name)),
        moment,
      );
    }
    const [own = '', ...others] = (await readdir(home)).sort().map((name) => join(home, name));
    const state = await open([own, ...others]);
    await state.close();

    const expected = Array.from(
      { length: DIRECTORIES * DRAFTS },
      (_, n) => `${n % DIRECTORIES}-${Math.floor(n / DIRECTORIES)}`,
    );
    const { recovery, journal, drafts } = state;
    expect(recovery.drafts.map(({ facts }) => facts.key).sort()).toEqual(expected.sort());
    expect(recovery.drafts.every((record) => record.state === 'queued')).toBe(true);
    expect((await drafts.list()).map(({ size }) => size)).toEqual(expected.map(() => 4));
    expect(journal.contents.deletions.map(({ key }) => key).sort()).toEqual(
      Array.from({ length: DIRECTORIES }, (_, n) => `gone-${n}`),
    );
    expect(await readdir(home)).toHaveLength(1);
  });
});
