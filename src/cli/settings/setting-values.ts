/**
 * What does a setting's value look like?
 *
 * A value comes as text (flag, `-o`, environment) or as TOML knows it (text, number, boolean), so each schema takes both.
 * The messages complete a sentence that begins with the setting's name.
 */
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { BaseUrlError, parseBaseUrl, type BaseUrl } from '../../client/base-url.ts';
import { homeDirectory } from './user-directories.ts';

const MILLISECONDS_PER_SECOND = 1000;
/** Longer makes no sense for anything here, and timers overflow at 2^31 ms. */
const MAX_SECONDS = 86_400;

/** More than there can be of anything here. */
const MAX_COUNT = 1_000_000_000;

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 0, K: 1, M: 2, G: 3, T: 4 };

/** `true` for a switch that is on. */
export const switchValue = switchOf('must be true or false');

/** The same, for one that is given with its value. */
export const onOffValue = switchOf('must be on or off');

function switchOf(complaint: string) {
  return z.union([z.boolean(), z.string(), z.number()], complaint).transform((value, context) => {
    const text = String(value).toLowerCase();
    if (['true', 'yes', 'on', '1'].includes(text)) return true;
    if (['false', 'no', 'off', '0'].includes(text)) return false;
    context.addIssue({ code: 'custom', message: complaint });
    return z.NEVER;
  });
}

/** Seconds, fractions allowed, to milliseconds. */
export const secondsValue = z
  .union([z.string(), z.number()], 'must be a number of seconds, such as 10 or 0.5')
  .transform((value, context) => {
    const seconds = /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;
    if (seconds <= MAX_SECONDS) return seconds * MILLISECONDS_PER_SECOND;
    context.addIssue({
      code: 'custom',
      message: `must be a number of seconds from 0 to ${MAX_SECONDS}, such as 10 or 0.5`,
    });
    return z.NEVER;
  });

/** `256M`, `1.5GiB`, `4096` to bytes; the units are powers of 1024. */
export const sizeValue = z
  .union([z.string(), z.number()], 'must be a size such as 256M or 1G')
  .transform((value, context) => {
    const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(String(value));
    const bytes = Math.floor(Number(match?.[1]) * 1024 ** (SIZE_UNITS[match?.[2]?.toUpperCase() ?? ''] ?? 0));
    if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
    context.addIssue({ code: 'custom', message: 'must be a size such as 256M or 1G' });
    return z.NEVER;
  });

/** How many of something. */
export const countValue = z
  .union([z.string(), z.number()], 'must be a whole number')
  .transform((value, context) => {
    const count = /^\d{1,10}$/.test(String(value)) ? Number(value) : Number.NaN;
    if (count <= MAX_COUNT) return count;
    context.addIssue({
      code: 'custom',
      message: `must be a whole number from 0 to ${MAX_COUNT}, such as 10000`,
    });
    return z.NEVER;
  });

/** A user or group number. */
export const idValue = z.union([z.string(), z.number()], 'must be a number').transform((value, context) => {
  const id = /^\d{1,10}$/.test(String(value)) ? Number(value) : Number.NaN;
  if (id < 0xffff_ffff) return id;
  context.addIssue({ code: 'custom', message: 'must be a user or group number, such as 1000' });
  return z.NEVER;
});

/** `022`, always read as octal when it is text; TOML writes the number as `0o022`. */
export const umaskValue = z
  .union([z.string(), z.number()], 'must be an octal number such as 022')
  .transform((value, context) => {
    const text = typeof value === 'number' ? value.toString(8) : value.replace(/^0o/, '');
    if (/^[0-7]{1,4}$/.test(text) && Number.parseInt(text, 8) <= 0o777) return Number.parseInt(text, 8);
    context.addIssue({ code: 'custom', message: 'must be an octal number from 000 to 777, such as 022' });
    return z.NEVER;
  });

/** Made absolute; a leading `~/`, which no shell expands in a file or after `=`, is the home directory. */
export const pathValue = z
  .string('must be a path')
  .min(1, 'must be a path')
  .transform((path) => (path.startsWith('~/') ? join(homeDirectory(), path.slice(2)) : resolve(path)));

const COMMAND_COMPLAINT = 'must be a command, or a list of its words';

/** Text for a shell, or the words of one command. */
export const commandValue = z.union(
  [
    z.string().regex(/\S/, COMMAND_COMPLAINT),
    z.tuple([z.string().min(1, COMMAND_COMPLAINT)], COMMAND_COMPLAINT).rest(z.string()),
  ],
  COMMAND_COMPLAINT,
);

const LOOPBACK_HOST = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * An http or https address without credentials, query or fragment. However it is spelt, one service has one address, by which is kept
 * what waits to be stored there: the host in small letters, no port that the scheme says already, no slash at the end.
 */
export const baseUrlValue = z.string('must be a web address').transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const complaint = complaintAboutBaseUrl(url);
  const parsed = complaint ?? parsedOrComplaint(text);
  if (typeof parsed !== 'string') return `${parsed.origin}${parsed.prefix}`;
  context.addIssue({ code: 'custom', message: parsed });
  return z.NEVER;
});

function complaintAboutBaseUrl(url: URL | undefined): string | undefined {
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    return 'must be a web address such as https://storage.example.com';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold credentials: set PAILFS_ACCESS_KEY_ID and PAILFS_SECRET_ACCESS_KEY instead';
  }
  if (url.search !== '' || url.hash !== '') return 'must end before any "?" or "#"';
  return undefined;
}

/** A complaint about what the URL class takes and puts right, but the client, which sends paths as they are written, does not. */
function parsedOrComplaint(text: string): BaseUrl | string {
  try {
    return parseBaseUrl(text);
  } catch (error) {
    if (!(error instanceof BaseUrlError)) throw error;
    return /^[\x21-\x7e]*$/.test(text)
      ? 'must be a web address such as https://storage.example.com'
      : 'must have spaces and letters beyond ASCII percent-encoded, a space as %20';
  }
}

/** Whether everything sent to this address can be read on the way. */
export function isInsecure(baseUrl: string): boolean {
  const url = new URL(baseUrl);
  return url.protocol === 'http:' && !isThisMachine(url);
}

export function isThisMachine({ hostname }: URL): boolean {
  return LOOPBACK_HOST.test(hostname);
}

/** Milliseconds, as `secondsValue` takes them. */
export function secondsText(milliseconds: number): string {
  return String(milliseconds / MILLISECONDS_PER_SECOND);
}

/** Bytes, as `sizeValue` takes them, in the largest unit that loses nothing. */
export function sizeText(bytes: number): string {
  const units = Object.entries(SIZE_UNITS).toReversed();
  const [unit, power] = units.find(([, power]) => bytes % 1024 ** power === 0) ?? ['', 0];
  return `${bytes / 1024 ** power}${unit}`;
}

/** As `umaskValue` takes it. */
export function umaskText(umask: number): string {
  return umask.toString(8).padStart(3, '0');
}
