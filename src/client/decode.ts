/**
 * What do the service's JSON documents say? (§2, §4)
 *
 * Tolerant where the spec is: lists may be null, older names are understood, unknown fields are ignored, and one odd entry
 * of a file listing is left out and counted. Strict everywhere else: a wrong shape is a `malformed` refusal that names the
 * operation and the field.
 */
import { z } from 'zod';
import { Refusal } from '../service/refusal.ts';
import type { RefusalDetails } from '../service/refusal.ts';
import type {
  Bucket,
  BucketPage,
  FileEntry,
  LinkRecord,
  ObjectPage,
  StoredObject,
  VisibilityRecord,
} from '../service/records.ts';
import { parseIsoDate } from './dates.ts';
import { bareEtag } from './object-headers.ts';

/** Lone surrogates: such a name cannot be sent back. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const count = z.int().nonnegative();
const nonEmpty = z.string().min(1);
const textOrNull = z
  .string()
  .nullish()
  .transform((text) => text ?? null);
const isoDate = z.string().transform((text, context) => {
  const date = parseIsoDate(text);
  if (date !== null) return date;
  context.addIssue({ code: 'custom', message: 'is no ISO 8601 timestamp' });
  return z.NEVER;
});
const isoDateOrNull = isoDate.nullish().transform((date) => date ?? null);
const visibility = z.enum(['public', 'private']);

const bucketDocument = z
  .object({
    bucket: nonEmpty,
    public_id: z.string(),
    name: z.string(),
    aws_region: z.string(),
    status: z.string(),
    status_message: textOrNull,
    size_bytes: count,
    object_count: count,
    usage_synced_at: isoDate,
    created_at: isoDate,
  })
  .transform((document): Bucket => ({
    bucket: document.bucket,
    publicId: document.public_id,
    name: document.name,
    region: document.aws_region,
    status: document.status,
    statusMessage: document.status_message,
    sizeBytes: document.size_bytes,
    objectCount: document.object_count,
    usageSyncedAt: document.usage_synced_at,
    createdAt: document.created_at,
  }));

const bucketListDocument = z.object({
  buckets: z.array(bucketDocument).nullable(),
  summary: z.object({
    used_bytes: count,
    limit_bytes: count.nullish(),
    bucket_count: count,
    bucket_limit: count,
    max_object_size_bytes: count,
    create_blocked_reason: textOrNull,
  }),
  has_next: z.boolean(),
  next_page: z.unknown().optional(),
});

/** The shape alone: rules in a schema cost several times as much as `fileEntryOf`, and a listing has many entries. */
const fileEntryDocument = z.object({
  key: z.string(),
  size: z.number(),
  etag: z.string(),
  last_modified: z.string(),
});

const objectListDocument = z
  .object({
    bucket: nonEmpty,
    folder: z.string().optional(),
    prefix: z.string().optional(),
    folders: z.array(z.unknown()).nullable(),
    objects: z.array(z.unknown()).nullable(),
    has_next: z.boolean(),
    next_page: z.unknown().optional(),
    next_token: z.unknown().optional(),
  })
  .refine((document) => document.folder !== undefined || document.prefix !== undefined, {
    path: ['folder'],
    message: 'is missing',
  });

const uploadDocument = z.object({ bucket: nonEmpty, key: nonEmpty, size: count });

const visibilityDocument = z
  .object({
    object_key: nonEmpty,
    visibility,
    url: textOrNull,
    share_url: textOrNull,
    share_expires_at: isoDateOrNull,
  })
  .transform((document): VisibilityRecord => ({
    key: document.object_key,
    visibility: document.visibility,
    url: document.url,
    shareUrl: document.share_url,
    shareExpiresAt: document.share_expires_at,
  }));

const linkDocument = z
  .object({ bucket: nonEmpty, key: nonEmpty, visibility, url: nonEmpty, expires_at: isoDateOrNull })
  .transform((document): LinkRecord => ({
    bucket: document.bucket,
    key: document.key,
    visibility: document.visibility,
    url: document.url,
    expiresAt: document.expires_at,
  }));

/** §4.3, §4.4 */
export function decodeBucket(document: unknown, details: RefusalDetails): Bucket {
  return decoded(z.object({ data: bucketDocument }), document, details).data;
}

/** §4.2 */
export function decodeBucketPage(document: unknown, details: RefusalDetails): BucketPage {
  const { data } = decoded(z.object({ data: bucketListDocument }), document, details);
  const { summary } = data;
  return {
    buckets: data.buckets ?? [],
    summary: {
      usedBytes: summary.used_bytes,
      limitBytes: summary.limit_bytes ?? null,
      bucketCount: summary.bucket_count,
      bucketLimit: summary.bucket_limit,
      maxObjectSizeBytes: summary.max_object_size_bytes,
      createBlockedReason: summary.create_blocked_reason,
    },
    nextPage: data.has_next ? bookmark(data.next_page, 'data.next_page', details) : null,
  };
}

/** §4.11 */
export function decodeObjectPage(document: unknown, details: RefusalDetails): ObjectPage {
  const page = decoded(objectListDocument, document, details);
  const folders = usable(page.folders ?? [], nameOf);
  const objects = usable(page.objects ?? [], fileEntryOf);
  return {
    bucket: page.bucket,
    folder: (page.folder ?? page.prefix ?? '').replace(/\/$/, ''),
    folders: folders.entries,
    objects: objects.entries,
    skipped: folders.skipped + objects.skipped,
    ...(objects.skipped > 0 && { skippedKeys: (page.objects ?? []).flatMap(keyOfOdd) }),
    nextPage: page.has_next ? bookmark(page.next_page ?? page.next_token, 'next_page', details) : null,
  };
}

/** §4.7. What the headers add is not known here. */
export function decodeStored(
  document: unknown,
  details: RefusalDetails,
): Omit<StoredObject, 'storedWithin' | 'mayArriveAgain'> {
  return decoded(uploadDocument, document, details);
}

/** §4.12, §4.13 */
export function decodeVisibility(document: unknown, details: RefusalDetails): VisibilityRecord {
  return decoded(z.object({ data: visibilityDocument }), document, details).data;
}

/** §4.14 */
export function decodeLink(document: unknown, details: RefusalDetails): LinkRecord {
  return decoded(z.object({ data: linkDocument }), document, details).data;
}

/** A listing that says "more follows" and not where would never end, or end too early. */
function bookmark(value: unknown, field: string, details: RefusalDetails): string {
  if (typeof value === 'string' && value !== '') return value;
  throw malformed(field, 'is missing although has_next is true', details);
}

function usable<Entry>(
  values: readonly unknown[],
  read: (value: unknown) => Entry | null,
): { readonly entries: readonly Entry[]; readonly skipped: number } {
  const entries = values.map(read).filter((entry) => entry !== null);
  return { entries, skipped: values.length - entries.length };
}

/** §2.3; null when it is odd. */
function fileEntryOf(value: unknown): FileEntry | null {
  const { success, data } = fileEntryDocument.safeParse(value);
  if (!success || nameOf(data.key) === null || !isCount(data.size)) return null;
  const etag = bareEtag(data.etag);
  const lastModified = parseIsoDate(data.last_modified);
  if (etag === '' || lastModified === null) return null;
  return { key: data.key, size: data.size, etag, lastModified };
}

/** None, or the key of an entry that `fileEntryOf` does not take. */
function keyOfOdd(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || !('key' in value)) return [];
  const key = nameOf(value.key);
  return key === null || fileEntryOf(value) !== null ? [] : [key];
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && !LONE_SURROGATE.test(value) ? value : null;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function decoded<Output>(schema: z.ZodType<Output>, document: unknown, details: RefusalDetails): Output {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw malformed(issue?.path.join('.') ?? '', issue?.message ?? 'has the wrong shape', details);
}

function malformed(field: string, problem: string, details: RefusalDetails): Refusal {
  const place = field === '' ? 'the answer' : `the answer's field ${field}`;
  return new Refusal('malformed', `${place}: ${problem}`, details);
}
