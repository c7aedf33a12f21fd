/** How do the kernel's times become ours, and back? */

/**
 * A millisecond count with fractions holds microseconds exactly, for centuries around 1970, but no nanoseconds; the kernel is
 * told so, and rounds what programs set.
 */
export const TIME_GRANULARITY_NS = 1000;

/** Milliseconds since 1970, maybe negative, as `timespec` has them: nanoseconds never negative. */
export function secondsAndNanoseconds(milliseconds: number): { seconds: number; nanoseconds: number } {
  const seconds = Math.floor(milliseconds / 1000);
  const microseconds = Math.round((milliseconds - seconds * 1000) * 1000);
  if (microseconds === 1_000_000) return { seconds: seconds + 1, nanoseconds: 0 };
  return { seconds, nanoseconds: microseconds * TIME_GRANULARITY_NS };
}

/** Since 1970, with fractions. */
export function milliseconds(seconds: number, nanoseconds: number): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
