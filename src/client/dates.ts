/** What moment does this text name? Only the shapes that the spec and HTTP name; null for any other, and for a day that there is not. */

const MONTH = '(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '(?<time>\\d{2}:\\d{2}:\\d{2})';
/** As it is sent today first; the two others are obsolete, and whoever reads HTTP has to take them all the same (RFC 9110, 5.6.7). */
const HTTP_DATES = [
  `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d{1,2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT`,
  `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map((shape) => new RegExp(`^${shape}$`));
/** A year of two digits is one from here on. */
const FIRST_OF_TWO_DIGITS = 1970;
/** What a service that is written today sends: it need not be taken apart first, a thousand times a page. */
const PLAIN_ISO_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const ISO_DATE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** The date formats of HTTP headers. */
export function parseHttpDate(text: string | undefined): Date | null {
  if (text === undefined) return null;
  for (const shape of HTTP_DATES) {
    const parts = shape.exec(text)?.groups;
    if (parts === undefined) continue;
    const { day = '', month = '', year = '', time = '' } = parts;
    const date = new Date(`${day} ${month} ${fullYear(year)} ${time} GMT`);
    return date.getUTCDate() === Number(day) ? date : null;
  }
  return null;
}

function fullYear(year: string): number {
  if (year.length > 2) return Number(year);
  const inFirst = FIRST_OF_TWO_DIGITS - (FIRST_OF_TWO_DIGITS % 100) + Number(year);
  return inFirst < FIRST_OF_TWO_DIGITS ? inFirst + 100 : inFirst;
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
