/** Is this still what was written? Against bytes that a disk lost or turned, not against people. */
import { crc32 } from 'node:zlib';

/** CRC-32 of `data`, eight lower-case hexadecimal digits. */
export function checksumOf(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, '0');
}
