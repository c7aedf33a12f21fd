/**
 * What does the C library do with memory that was let go of? It keeps it, in pieces between those that are in use, and takes ever
 * larger ones for worth keeping: after a busy hour a third of the process is such pieces.
 */

/** Calls of the C library. */
export interface MemoryCalls {
  /** From now on what has at least so many bytes is taken from the system one by one, and given back as soon as it is let go of. */
  giveBackFrom(bytes: number): void;
  /** Gives back what else was let go of. */
  trim(): void;
}

/** mallopt(3). */
const M_MMAP_THRESHOLD = -3;

/** Rejects where koffi has no build for this machine, and where the C library is not that of GNU. */
export async function loadMemoryCalls(): Promise<MemoryCalls> {
  const koffi = await import('koffi');
  const library = koffi.load(null);
  const mallopt = library.func('int mallopt(int, int)');
  const mallocTrim = library.func('int malloc_trim(size_t)');
  return {
    giveBackFrom: (bytes) => {
      mallopt(M_MMAP_THRESHOLD, bytes);
    },
    trim: () => {
      mallocTrim(0);
    },
  };
}
