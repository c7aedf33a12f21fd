/**
 * What do a serving process and the commands of pailfs tell each other over the control socket? Both sides validate what they get:
 * they may be of different versions, and whoever owns a socket that root asks is not trusted.
 */
import { z } from 'zod';
import type { ChangeOutcome } from '../../filesystem/unsent/unsent-changes.ts';
import type { UnsentChange } from '../../filesystem/unsent/unsent-change.ts';
import type { Visibility } from '../../service/records.ts';
import type { BucketState } from '../connecting/bucket-state.ts';
import type { Problem } from '../logging/recent-problems.ts';

const count = z.int().nonnegative();

const unsentKind = z.enum(['upload', 'delete', 'link', 'rename', 'scratch']);

const unsentChange: z.ZodType<UnsentChange> = z.object({
  id: z.string(),
  kind: unsentKind,
  state: z.enum([
    'open',
    'queued',
    'uploading',
    'end unknown',
    'failed',
    'set aside',
    'unreadable',
    'local',
    'going on',
    'gone',
  ]),
  path: z.string().nullable(),
  to: z.string().nullable(),
  bytes: count.nullable(),
  sent: count,
  isWhole: z.boolean(),
  since: z.number(),
  attempts: count,
  code: z.string().nullable(),
  reason: z.string().nullable(),
  file: z.string().nullable(),
});

const changeOutcome: z.ZodType<ChangeOutcome> = z.object({
  id: z.string(),
  /** A mount of an earlier version does not say. */
  kind: unsentKind.default('upload'),
  path: z.string().nullable(),
  isDone: z.boolean(),
  storedAs: z.string().nullable(),
  reason: z.string().nullable(),
});

/** How many there are of each; `bytesLeft` of those that go up by themselves. */
export const unsentSummary = z.object({
  uploads: count,
  bytesLeft: count,
  uploading: count,
  failed: count,
  setAside: count,
  deletes: count,
  links: count,
  renames: count,
  scratch: count,
});

const amount = z.number().nonnegative();

/** Since the mount began, and lately (`perSecond`). */
const trafficDocument = z.object({
  requests: count,
  failed: count,
  bytesReceived: count,
  bytesSent: count,
  perSecond: z.object({ requests: amount, bytesReceived: amount, bytesSent: amount }),
  /** ISO 8601; null while the service answers. */
  offlineSince: z.string().nullable(),
  /** ISO 8601: when anything last came or went while requests wait; null while none does. A mount of an earlier version does not say. */
  silentSince: z.string().nullable().default(null),
});

/** Bytes. */
const cacheDocument = z.object({
  /** What programs have read, by where it was. */
  served: z.object({ memory: count, disk: count, service: count }),
  inMemory: count,
  /** Null: nothing is kept on the disk. */
  onDisk: count.nullable(),
});

const problemDocument: z.ZodType<Problem> = z.object({ at: z.string(), times: count, text: z.string() });

const bucketState: z.ZodType<BucketState> = z.object({
  name: z.string(),
  status: z.string(),
  statusMessage: z.string().nullable(),
});

/** Answer to `GET /status`. */
export const statusDocument = z.object({
  /** `finishing`: unmounted, and still uploading. */
  phase: z.enum(['serving', 'finishing']),
  /** One of each bucket that is in use. */
  stateDirectories: z.array(z.string()).readonly(),
  /** Buckets that are not ready to use. */
  inactive: z.array(bucketState).readonly(),
  /** Without credentials, by their names in the config file. */
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Bytes handed to uploads since the mount began. */
  bytesSent: count,
  traffic: trafficDocument,
  cache: cacheDocument,
  /** Keys that no directory can show, in the folders that were listed lately. */
  hiddenKeys: count,
  /** The latest first. */
  problems: z.array(problemDocument).readonly(),
  waiting: unsentSummary,
  /** A few: what goes up just now, what went wrong, and what is on this machine alone. */
  changes: z.array(unsentChange).readonly(),
});

/** Answer to `GET /uploads`. */
export const changesDocument = z.object({ changes: z.array(unsentChange).readonly() });

/** Body of `POST /uploads/retry` and `/uploads/discard`. Null: all that is meant by it. */
export const selectionDocument = z.object({ ids: z.array(z.string()).nullable() });

/** Answer to these. */
export const outcomesDocument = z.object({ outcomes: z.array(changeOutcome).readonly() });

/** Answer to `POST /give-up`. */
export const giveUpDocument = z.object({
  /** False while the mount still serves: nothing was given up. */
  isEnding: z.boolean(),
});

/** Body of `POST /link`, `/hidden` and `/refresh`. Paths are those in the mount: absolute, `/` for its top. */
export const pathDocument = z.object({ path: z.string() });

/** Body of `POST /visibility`. */
export const visibilityWishDocument = z.object({
  path: z.string(),
  visibility: z.enum(['public', 'private']),
});

/** Answer to `POST /link` and `/visibility`. */
export const linkDocument = z.object({
  visibility: z.enum(['public', 'private']),
  /** Null: there is none before the file is stored. */
  url: z.string().nullable(),
  /** ISO 8601; null: it lasts as long as the file is public. */
  expiresAt: z.string().nullable(),
});

/** Answer to `POST /hidden`: how many keys of a folder no name can show. */
export const hiddenDocument = z.object({ hidden: z.number() });

/** Answer where there is nothing to say but yes. */
export const doneDocument = z.object({});

/** Any answer of status 4xx or 5xx. */
export const refusalDocument = z.object({
  message: z.string(),
  /** Of a change: it may have been made all the same. Absent, too, where an older pailfs serves the mount. */
  mayBeDone: z.boolean().optional(),
});

export type UnsentSummary = z.output<typeof unsentSummary>;
export type StatusDocument = z.output<typeof statusDocument>;
export type GiveUpDocument = z.output<typeof giveUpDocument>;
export type LinkDocument = z.output<typeof linkDocument>;

/** What a serving process answers. A rejection becomes a `refusalDocument`. */
export interface Controlled {
  status(): Promise<StatusDocument>;
  uploads(): Promise<readonly UnsentChange[]>;
  retry(ids: readonly string[] | null): Promise<readonly ChangeOutcome[]>;
  discard(ids: readonly string[]): Promise<readonly ChangeOutcome[]>;
  giveUp(): GiveUpDocument;
  /** Of a file. */
  link(path: string): Promise<LinkDocument>;
  setVisibility(path: string, visibility: Visibility): Promise<LinkDocument>;
  /** How many keys of a folder no name can show. */
  hidden(path: string): Promise<number>;
  /** The next look at `path`, and at what is below it, asks the service. */
  refresh(path: string): Promise<void>;
}
