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

/** So many bytes, a multiple of 65,536, zeroed; null when the system has no room for them. */
export function alignedMemory(bytes: number): ArrayBuffer | null {
  try {
    return new WebAssembly.Memory({ initial: bytes / UNIT }).buffer;
  } catch (error) {
    // Of addresses, of which it takes many: a limit of the process, for example.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
