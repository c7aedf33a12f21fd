/** How do the kernel's times become ours, and back? */

/**
 * A millisecond count with fractions holds microseconds exactly, for centuries around 1970, but no nanoseconds; the kernel is
 * told so, and rounds what programs set.
 */
export const TIME_GRANULARITY_NS = 1000;

/** What a Date can be, milliseconds from 1970: further away a count with fractions does not tell one second from the next. */
const FURTHEST = 8.64e15;

/** Milliseconds since 1970, maybe negative, as `timespec` has them: nanoseconds never negative. */
export function secondsAndNanoseconds(time: number): { seconds: number; nanoseconds: number } {
  const near = within(time);
  const seconds = Math.floor(near / 1000);
  const microseconds = Math.round((near - seconds * 1000) * 1000);
  if (microseconds === 1_000_000) return { seconds: seconds + 1, nanoseconds: 0 };
  return { seconds, nanoseconds: microseconds * TIME_GRANULARITY_NS };
}

/** Since 1970, with fractions. */
export function milliseconds(seconds: number, nanoseconds: number): number {
  return within(seconds * 1000 + nanoseconds / 1e6);
}

/** Programs set, by mistake, times that no calendar has: the nearest that can be shown again. */
function within(time: number): number {
  return Math.min(Math.max(time, -FURTHEST), FURTHEST);
}
