/** What do the JSON documents of §2 and §4 look like on the wire? Types only: each side encodes or decodes on its own. */

/** §4.1 */
export interface Envelope<Data> {
  message: string;
  status: number;
  data: Data;
}

/** §2.1 */
export interface BucketDocument {
  bucket: string;
  public_id: string;
  name: string;
  aws_region: string;
  status: string;
  status_message: string | null;
  size_bytes: number;
  object_count: number;
  usage_synced_at: string;
  created_at: string;
}

/** §2.2 */
export interface SummaryDocument {
  used_bytes: number;
  limit_bytes: null;
  bucket_count: number;
  bucket_limit: number;
  max_object_size_bytes: number;
  create_blocked_reason: string | null;
}

/** §4.2, `data` */
export interface BucketListDocument {
  buckets: BucketDocument[];
  summary: SummaryDocument;
  has_next: boolean;
  next_page: string | null;
}

/** §2.3 */
export interface FileEntryDocument {
  key: string;
  size: number;
  etag: string;
  last_modified: string;
}

/** §4.11 */
export interface ObjectListDocument {
  bucket: string;
  folder: string;
  folders: string[] | null;
  objects: FileEntryDocument[] | null;
  has_next: boolean;
  next_page: string | null;
}

/** §4.7 */
export interface UploadDocument {
  bucket: string;
  key: string;
  size: number;
}

/** §2.5 */
export interface VisibilityDocument {
  object_key: string;
  visibility: string;
  url: string | null;
  share_url: string | null;
  share_expires_at: string | null;
}

/** §2.6 */
export interface LinkDocument {
  bucket: string;
  key: string;
  visibility: string;
  url: string;
  expires_at: string | null;
}

/** §7: file endpoints. */
export interface SimpleErrorDocument {
  error: string;
}

/** §7: bucket-management endpoints. */
export interface RefusalDocument {
  message: string;
  status: number;
}
