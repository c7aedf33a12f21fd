/** How are records written on the wire? (§2) The only place of the server that knows the documents' field names. */
import type { AccountSummary, Bucket, BucketPage, FileEntry, LinkRecord } from '../service/records.ts';
import type { ObjectHead, ObjectPage, VisibilityRecord } from '../service/records.ts';
import type * as wire from '../service/wire.ts';
import type { Behaviours } from './behaviours.ts';

/** §2.1 */
export function encodeBucket(bucket: Bucket): wire.BucketDocument {
  return {
    bucket: bucket.bucket,
    public_id: bucket.publicId,
    name: bucket.name,
    aws_region: bucket.region,
    status: bucket.status,
    status_message: bucket.statusMessage,
    size_bytes: bucket.sizeBytes,
    object_count: bucket.objectCount,
    usage_synced_at: bucket.usageSyncedAt.toISOString(),
    created_at: bucket.createdAt.toISOString(),
  };
}

/** §4.2, `data` */
export function encodeBucketPage(page: BucketPage): wire.BucketListDocument {
  return {
    buckets: page.buckets.map(encodeBucket),
    summary: encodeSummary(page.summary),
    has_next: page.nextPage !== null,
    next_page: page.nextPage,
  };
}

function encodeSummary(summary: AccountSummary): wire.SummaryDocument {
  return {
    used_bytes: summary.usedBytes,
    limit_bytes: null,
    bucket_count: summary.bucketCount,
    bucket_limit: summary.bucketLimit,
    max_object_size_bytes: summary.maxObjectSizeBytes,
    create_blocked_reason: summary.createBlockedReason,
  };
}

/** `oldNames`: asked with `prefix` or `token`, so the older answer fields are wanted too (§4.11). */
export function encodeObjectPage(
  page: ObjectPage,
  behaviours: Behaviours,
  oldNames: boolean,
): wire.ObjectListDocument {
  const orNull = <Entry>(entries: Entry[]): Entry[] | null =>
    entries.length === 0 && behaviours.pages === 'nasty' ? null : entries;
  return {
    bucket: page.bucket,
    folder: page.folder,
    ...(oldNames ? { prefix: page.folder === '' ? '' : `${page.folder}/` } : {}),
    folders: orNull([...page.folders]),
    objects: orNull(page.objects.map((entry) => encodeFileEntry(entry, behaviours))),
    has_next: page.nextPage !== null,
    next_page: page.nextPage,
    ...(oldNames ? { next_token: page.nextPage } : {}),
  };
}

function encodeFileEntry(entry: FileEntry, behaviours: Behaviours): wire.FileEntryDocument {
  const { etagStyle } = behaviours;
  return {
    key: entry.key,
    size: entry.size,
    etag: etagStyle === 'bare' ? entry.etag : headerEtag(entry.etag, behaviours),
    last_modified: wholeSeconds(entry.lastModified, 'Z'),
  };
}

/** §2.5 */
export function encodeVisibility(record: VisibilityRecord): wire.VisibilityDocument {
  return {
    object_key: record.key,
    visibility: record.visibility,
    url: record.url,
    share_url: record.shareUrl,
    share_expires_at: withOffset(record.shareExpiresAt),
  };
}

/** §2.6 */
export function encodeLink(record: LinkRecord): wire.LinkDocument {
  return {
    bucket: record.bucket,
    key: record.key,
    visibility: record.visibility,
    url: record.url,
    expires_at: withOffset(record.expiresAt),
  };
}

/** The headers of §4.8 and §4.9, Content-Length left out. */
export function encodeHead(head: ObjectHead, behaviours: Behaviours): Record<string, string> {
  return {
    ...(head.contentType === null ? {} : { 'content-type': head.contentType }),
    etag: headerEtag(head.etag, behaviours),
    'last-modified': httpDate(head.lastModified, behaviours),
  };
}

/** For a header. */
export function httpDate(time: Date, { httpDates }: Behaviours): string {
  const fixdate = time.toUTCString();
  if (httpDates === 'fixdate') return fixdate;
  const [weekday = '', day = '', month = '', year = '', clock = ''] = fixdate.split(/,? /);
  if (httpDates === 'asctime') return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${clock} ${year}`;
  const ofWeek = time.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
  return `${ofWeek}, ${day}-${month}-${year.slice(-2)} ${clock} GMT`;
}

function headerEtag(etag: string, { etagStyle }: Behaviours): string {
  return etagStyle === 'weak' ? `W/"${etag}"` : `"${etag}"`;
}

function withOffset(time: Date | null): string | null {
  return time === null ? null : wholeSeconds(time, '+00:00');
}

function wholeSeconds(time: Date, zone: 'Z' | '+00:00'): string {
  return `${time.toISOString().slice(0, 19)}${zone}`;
}
