/** How is the record of a served mount (mount-record.ts) kept true, from its beginning to its end? */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { UnsentDraft } from '../../filesystem/open-file-system.ts';
import { findMount } from '../../fuse/mount-table.ts';
import { putAwayDead } from '../found-mounts/ended-records.ts';
import {
  readRecordFile,
  readRecordsOf,
  recordFile,
  removeRecord,
  writeRecord,
  type MountRecord,
} from '../found-mounts/mount-record.ts';
import { ownRecordDirectories, recordDirectory } from '../found-mounts/record-directories.ts';
import { ownIdentity } from '../found-mounts/process-identity.ts';
import { takenOver } from './earlier-mounts.ts';

export interface RecordedParts {
  /** Of whoever was there before. */
  readonly earlier: readonly MountRecord[];
  /** What does not change. */
  readonly facts: Omit<MountRecord, 'process' | 'unsent' | 'device'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What its programs have closed is not seen here, and replaces what is newer when it is stored later. */
const LEFT_ALONE =
  'what an earlier mount here did not store waits on, since this one has other credentials, or another service, bucket or state directory: "pailfs uploads" lists it';

/**
 * Those of `mountpoint`, to be read while a dead mount still covers it: of one that was moved there only what is mounted tells that it is
 * there. Never rejects.
 */
export async function earlierRecords(mountpoint: string, log: Log): Promise<readonly MountRecord[]> {
  try {
    return await readRecordsOf(await ownRecordDirectories(uid()), mountpoint);
  } catch (error) {
    log.warn('What was mounted here before is not known', { error });
    return [];
  }
}

/** Never rejects: without its record `pailfs unmount` cannot wait for the uploads, but the mount itself works. */
export class RecordedMount {
  readonly #parts: RecordedParts;
  #device: string | null = null;

  constructor(parts: RecordedParts) {
    this.#parts = parts;
  }

  /** The mount answers. Resolves with what a person should know. */
  async begin(): Promise<readonly string[]> {
    const { earlier, clock } = this.#parts;
    const { mountpoint, readOnly, mayWrite } = this.#parts.facts;
    const changesNothing = readOnly || !mayWrite;
    const warnings: string[] = [];
    await this.#orLog(async () => {
      this.#device = (await findMount(mountpoint))?.device ?? null;
    });
    // First: the device may have been that of another mount, which is not here for that.
    await this.#write([]);
    await this.#orLog(async () => {
      const directories = await ownRecordDirectories(uid());
      const now = await readRecordsOf(directories, mountpoint);
      const before = [...earlier, ...now];
      const done = await takenOver(before, { changesNothing, clock });
      await putAwayDead(directories, done, clock);
      // One that changes nothing is known to leave all as it is.
      if (!changesNothing && before.some((record) => !done.includes(record))) warnings.push(LEFT_ALONE);
    });
    return warnings;
  }

  /** Writes it again where it is gone. Never rejects. */
  async keep(): Promise<void> {
    try {
      const record = await this.#recordOf([]);
      if ((await directoryOf(record)) === undefined) await writeRecord(await recordDirectory(uid()), record);
    } catch (error) {
      // At debug level: it is tried again soon.
      this.#parts.log.debug('The mount could not be recorded again', { error });
    }
  }

  /** The last thing but the process's end. `unsent`: undefined when nobody knows what is missing. */
  async end(unsent: readonly UnsentDraft[] | undefined): Promise<void> {
    // The record of a process that is gone says that nobody knows how it ended.
    if (unsent === undefined) return;
    if (unsent.length > 0) await this.#write(unsent);
    else await this.#orLog(async (directory) => removeRecord([directory], await this.#recordOf([])));
  }

  #write(unsent: readonly UnsentDraft[]): Promise<void> {
    return this.#orLog(async (directory) => writeRecord(directory, await this.#recordOf(unsent)));
  }

  async #recordOf(unsent: readonly UnsentDraft[]): Promise<MountRecord> {
    const device = this.#device;
    return { ...this.#parts.facts, device, process: await ownIdentity(), unsent: [...unsent] };
  }

  async #orLog(action: (directory: string) => Promise<void>): Promise<void> {
    try {
      // Where it was written: a session directory may be there by now, or not any more.
      await action((await directoryOf(await this.#recordOf([]))) ?? (await recordDirectory(uid())));
    } catch (error) {
      this.#parts.log.warn('The mount could not be recorded', { error });
    }
  }
}

/** Undefined when it is nowhere. */
async function directoryOf(record: MountRecord): Promise<string | undefined> {
  for (const directory of await ownRecordDirectories(uid()))
    if ((await readRecordFile(recordFile(directory, record))) !== undefined) return directory;
  return undefined;
}

function uid(): number {
  return process.getuid?.() ?? 0;
}
