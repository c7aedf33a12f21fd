/**
 * Several mounts that ended may each have promised to delete the file at one path, each as it saw it: which deletion do their
 * promises make together?
 */
import { isDeepStrictEqual } from 'node:util';
import { put, remove, type JournalChange } from '../../content/journal/journal.ts';
import type { DeletionRecord } from '../../content/journal/records.ts';

interface Joined {
  /** One for each key: the last, which means the versions of all. */
  readonly records: readonly DeletionRecord[];
  /** What they change in the journal: of a deletion that is done none of them shall be left. */
  readonly changes: readonly JournalChange[];
}

/** `records`, by sequence, are all owed. */
export function joinedDeletions(records: readonly DeletionRecord[]): Joined {
  const byKey = new Map<string, DeletionRecord>();
  const changes: JournalChange[] = [];
  for (const record of records) {
    const before = byKey.get(record.key);
    const joined = before === undefined ? record : together(before, record);
    byKey.set(record.key, joined);
    if (before !== undefined) changes.push(remove('deletion', before), put('deletion', joined));
  }
  return { records: [...byKey.values()], changes };
}

function together(earlier: DeletionRecord, later: DeletionRecord): DeletionRecord {
  const more = earlier.versions.filter(
    (version) => !later.versions.some((each) => isDeepStrictEqual(each, version)),
  );
  return { ...later, versions: [...more, ...later.versions] };
}
