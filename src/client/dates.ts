/** What moment does this text name? Only the shapes that the spec and HTTP name; null for any other, and for a day that there is not. */

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{1,2}) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** What a service that is written today sends: it need not be taken apart first, a thousand times a page. */
const PLAIN_ISO_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const ISO_DATE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** The date format of HTTP headers (RFC 9110, IMF-fixdate). */
export function parseHttpDate(text: string | undefined): Date | null {
  const day = text === undefined ? undefined : HTTP_DATE.exec(text)?.[1];
  if (text === undefined || day === undefined) return null;
  const date = new Date(text);
  return date.getUTCDate() === Number(day) ? date : null;
}

/** An ISO 8601 timestamp; without an offset it is UTC (§2.1). Fractions are kept to the millisecond. */
export function parseIsoDate(text: string): Date | null {
  if (PLAIN_ISO_DATE.test(text)) return isDay(text.slice(0, 10)) ? validOrNull(new Date(text)) : null;
  const [, day, time, fraction = '', offset = 'Z'] = ISO_DATE.exec(text) ?? [];
  if (day === undefined || time === undefined || !isDay(day)) return null;
  const zone = /^z$/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  return validOrNull(new Date(`${day}T${time}${fraction.slice(0, 4)}${zone}`));
}

/** `Date` takes 31 February for 3 March. `text`: `YYYY-MM-DD`. */
function isDay(text: string): boolean {
  const day = Number(text.slice(8));
  return day <= 28 || new Date(text).getUTCDate() === day;
}

function validOrNull(date: Date): Date | null {
  return Number.isNaN(date.getTime()) ? null : date;
}
