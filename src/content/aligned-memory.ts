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

/** So many bytes, a multiple of 65,536, zeroed; null when it cannot be had. To ask in vain takes long: the engine looks for garbage first. */
export function alignedMemory(bytes: number): ArrayBuffer | null {
  try {
    return new WebAssembly.Memory({ initial: bytes / UNIT }).buffer;
  } catch {
    // No room for the addresses, of which it takes some 10 GiB, or an engine without WebAssembly: ordinary memory does as well, only slower.
    return null;
  }
}
