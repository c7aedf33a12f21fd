/**
 * Where does memory come from that begins where a page does? A file that is written past the system's page cache (O_DIRECT) takes no
 * other, and Node's own buffers begin anywhere.
 *
 * WebAssembly's memory does, wherever the engine guards its end with pages, and there is no other way to it without an addon.
 */

/** The engine's, which @types/node knows nothing of. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
};

/** Bytes of what WebAssembly counts in. */
const UNIT = 64 * 1024;

/** Bytes; what disks and systems want addresses and places in a file to be multiples of. */
export const ALIGNMENT = 4096;

/** All that `alignedMemory` has given: nothing else tells it from memory that begins anywhere. */
const given = new WeakSet<ArrayBufferLike>();

/** Whether `bytes` begin and end where pages do. */
export function areWholePages(bytes: Uint8Array): boolean {
  return bytes.byteOffset % ALIGNMENT === 0 && bytes.length % ALIGNMENT === 0 && given.has(bytes.buffer);
}

/** So many bytes, a multiple of 65,536, zeroed; null when it cannot be had. To ask in vain takes long: the engine looks for garbage first. */
export function alignedMemory(bytes: number): ArrayBuffer | null {
  try {
    const { buffer } = new WebAssembly.Memory({ initial: bytes / UNIT });
    given.add(buffer);
    return buffer;
  } catch {
    // No room for the addresses, of which it takes some 10 GiB, or an engine without WebAssembly: ordinary memory does as well, only slower.
    return null;
  }
}
