/** What do the parts of one mounted file system share? Made once (mount-means.ts) and handed to each part. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { PathClaims } from '../base/path-claims.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { Namespace } from '../namespace/namespace.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import type { AttributeRecords } from './attributes/attribute-records.ts';
import type { FileTable } from './file-table.ts';
import type { KeptDrafts } from './drafts/kept-drafts.ts';
import type { OwnNames } from './names/own-names.ts';
import type { RestingDrafts } from './drafts/resting-drafts.ts';
import type { FileSystemSettings } from './settings.ts';

export interface MountState {
  readonly store: BucketStore;
  readonly namespace: Namespace;
  readonly content: ContentStore;
  /** Changes in progress. Never held by stat, listing or reading. */
  readonly claims: PathClaims;
  readonly table: FileTable;
  readonly ownNames: OwnNames;
  readonly kept: KeptDrafts;
  readonly resting: RestingDrafts;
  readonly attributes: AttributeRecords;
  readonly settings: FileSystemSettings;
  readonly clock: Clock;
  readonly log: Log;
}
