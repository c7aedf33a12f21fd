/** Which numbers do stat(2) and its kind speak in, the same on every system? */

/** Of a mode: who may do what, and the set-id bits. */
export const PERMISSION_BITS = 0o7777;
/** Of a mode: what it is. */
export const TYPE_BITS = 0o170000;
export const FILE_TYPE = 0o100000;
export const FOLDER_TYPE = 0o040000;

/** Bytes that stat(2) counts in, whatever the block size. */
export const STAT_BLOCK_BYTES = 512;
