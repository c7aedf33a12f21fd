/** Which numbers does the spec name? (§8) */

export const MAX_BUCKETS = 50;
export const BUCKET_NAME_PATTERN = /^[a-z0-9](?:[a-z0-9-]{1,38})[a-z0-9]$/;
export const LIST_OBJECTS_DEFAULT_LIMIT = 100;
export const LIST_OBJECTS_MAX_LIMIT = 1000;
export const LIST_BUCKETS_DEFAULT_LIMIT = 50;
export const LIST_BUCKETS_MAX_LIMIT = 100;
/** Bytes; "the size the dashboard accepts", so no client refuses more on its own account. */
export const MAX_OBJECT_SIZE_BYTES = 1_073_741_824;
