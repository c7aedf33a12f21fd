/**
 * What were programs told that ran at the same time, and is it true? A draft may be set aside only when a program has heard why, as
 * it stored, or when nobody was left to hear but the log; and what a program was told is stored must have come to the service.
 */
import type { UnsentDraft } from '../../src/filesystem/end-of-mount.ts';
import { expect } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { Journal } from '../../src/content/journal/journal.ts';
import type { DatabasePlace } from '../../src/content/journal/open-or-move-aside.ts';
import type { DraftRecord } from '../../src/content/journal/records.ts';
import { reasonOf } from '../../src/filesystem/errno-of.ts';
import type { CallOptions, ObjectService, UploadBody } from '../../src/service/object-service.ts';
import type { StoredObject } from '../../src/service/records.ts';
import { draftBytes } from '../support/draft-bytes.ts';
import { bytesOf } from '../support/embedded-service.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import type { LogForTest } from '../support/program-acts.ts';
import { cellsOf } from './stamps.ts';

export class Told {
  readonly #stored = new Set<string>();
  readonly #refusals = new Set<string>();

  /** The close of what wrote `stamp` has succeeded. */
  stored(stamp: string): void {
    this.#stored.add(stamp);
  }

  /** An operation that stores has failed so. */
  refused(error: Error): void {
    this.#refusals.add(reasonOf(error)).add(reasonOf(error.cause));
  }

  expectRightlySetAside({ record, bytes }: SetAside, log: LogForTest, taken: ReadonlySet<string>): void {
    const reason = record.reason ?? '';
    // What a release, or a rename of a file that nobody has open any more, could not store.
    const unheard = log.lines.filter(({ level, fields }) => level === 'debug' && fields['cause'] === reason);
    expect(this.#refusals.has(reason) || unheard.length > 0, `whether anybody heard: ${reason}`).toBe(true);
    const missing = cellsOf(bytes).filter((stamp) => this.#stored.has(stamp) && !taken.has(stamp));
    expect(missing, 'what programs were told is stored').toEqual([]);
  }
}

/** With write-back a close is over when its draft is set aside: then the log has said why. */
export function expectLogged({ record }: SetAside, log: LogForTest): void {
  const reasons = log.about('its bytes are set aside').map(({ fields }) => fields['reason']);
  expect(reasons, 'why drafts were set aside').toContain(record.reason);
}

/** `inner`, which remembers every stamp that it has ever taken. */
export class WitnessedService extends InterceptedService {
  readonly taken = new Set<string>();

  constructor(inner: ObjectService) {
    super(inner, (_, proceed) => proceed());
  }

  override async putObject(
    bucket: string,
    key: string,
    body: UploadBody,
    options?: CallOptions,
  ): Promise<StoredObject> {
    const answer = await super.putObject(bucket, key, body, options);
    for (const stamp of cellsOf(await bytesOf(body.open()))) this.taken.add(stamp);
    return answer;
  }
}

export interface SetAside {
  readonly record: DraftRecord;
  readonly bytes: Buffer;
}

/** Which of what the end of a mount names are deletions that nobody will do any more? What is at their names is somebody's. */
export async function droppedIn(
  place: Pick<DatabasePlace, 'directory' | 'clock'>,
): Promise<(unsent: UnsentDraft) => boolean> {
  const journal = await Journal.open({ ...place, log: silentLog });
  const records = journal.contents.deletions.filter(({ state }) => state === 'dropped');
  await journal.close();
  const paths = new Set(records.map(({ key }) => `/${key}`));
  return ({ file, path }) => file === '' && paths.has(path);
}

/** The drafts that were refused for good: they stay in `drafts`, and the next mount names them. */
export async function setAsideIn(
  place: Pick<DatabasePlace, 'directory' | 'clock'>,
  pathOf: (id: string) => string,
): Promise<SetAside[]> {
  const journal = await Journal.open({ ...place, log: silentLog });
  const records = journal.contents.drafts.filter(({ state }) => state === 'set aside');
  await journal.close();
  return Promise.all(records.map(async (record) => ({ record, bytes: await draftBytes(pathOf(record.id)) })));
}
