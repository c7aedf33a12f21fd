/** What do the extended attributes of folders tell? Those of a bucket's top, what the service says of the bucket (§2.1), for no request. */
import type { Bucket } from '../../service/records.ts';

const VALUES: ReadonlyMap<string, (bucket: Bucket) => string> = new Map([
  ['user.pailfs.bucket', ({ bucket }) => bucket],
  ['user.pailfs.name', ({ name }) => name],
  ['user.pailfs.public_id', ({ publicId }) => publicId],
  ['user.pailfs.region', ({ region }) => region],
  ['user.pailfs.status', ({ status }) => status],
  ['user.pailfs.status_message', ({ statusMessage }) => statusMessage ?? ''],
  ['user.pailfs.size_bytes', ({ sizeBytes }) => String(sizeBytes)],
  ['user.pailfs.object_count', ({ objectCount }) => String(objectCount)],
  ['user.pailfs.usage_synced_at', ({ usageSyncedAt }) => usageSyncedAt.toISOString()],
  ['user.pailfs.created_at', ({ createdAt }) => createdAt.toISOString()],
]);

/** How many keys of a folder no directory can show. */
export const HIDDEN = 'user.pailfs.hidden';

export const FOLDER_ATTRIBUTES: readonly string[] = [HIDDEN];

/** Of the top of a bucket, which is a folder, too. */
export const BUCKET_ATTRIBUTES: readonly string[] = [...VALUES.keys(), ...FOLDER_ATTRIBUTES];

/** Undefined for a name that is not of buckets alone. */
export function bucketAttribute(bucket: Bucket, name: string): string | undefined {
  return VALUES.get(name)?.(bucket);
}
