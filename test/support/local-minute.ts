/** What do the clocks of this machine show? Whole hours are not all that time zones differ by. */

/** As the command line writes times; Swedish has the same form. */
export function localMinute(time: string): string {
  return new Date(time).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
}
