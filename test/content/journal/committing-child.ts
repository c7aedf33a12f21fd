/** A process that commits one record after the other and says which are on the disk, until it is killed. */
import { Journal, put } from '../../../src/content/journal/journal.ts';
import { silentLog } from '../../../src/base/log.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { draftRecordOf } from '../../support/journal-records.ts';

/** Commits under way at the same time. */
const WIDTH = 4;

const [directory = '', run = ''] = process.argv.slice(2);
const journal = await Journal.open({ directory, clock: systemClock, log: silentLog });

async function commitForEver(lane: number): Promise<void> {
  for (let n = 0; ; n += 1) {
    const id = `r${run}-${lane}-${n}`;
    await journal.commit([put('draft', draftRecordOf(id, { reason: 'x'.repeat(n % 5000) }))]);
    process.send?.(id);
  }
}

await Promise.all(Array.from({ length: WIDTH }, (_, lane) => commitForEver(lane)));
