/** Of which version are the bytes in `NAME.part`? A record beside them says so: `NAME.part.json`. */
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import { CommandError, exitCodes } from '../command-error.ts';

const originSchema = z.object({
  baseUrl: z.string(),
  bucket: z.string(),
  key: z.string(),
  etag: z.string(),
  size: z.number(),
});

/** The version that the bytes are of. */
export type Origin = z.output<typeof originSchema>;

const recordSchema = originSchema.extend({
  /** Who fetches it, or did. */
  by: z.object({ pid: z.number(), startTime: z.string().nullable() }).optional(),
});

export type PartRecord = z.output<typeof recordSchema>;

/** Each record begins with it: the schema says in which order a record is written. */
const BEGINNING = '{"baseUrl":"';

const ENDING = '.json';

/** Where the record of `part` is. */
export function recordOf(part: string): string {
  return `${part}${ENDING}`;
}

/** Of what `file` would be the record; undefined: its name is not that of one. */
export function partWithRecord(file: string): string | undefined {
  return file.endsWith(`.part${ENDING}`) ? file.slice(0, -ENDING.length) : undefined;
}

/** Rejects with a `CommandError` when the place of the record is taken by a file of somebody's own, which would be gone after the download. */
export async function requireNoneElse(part: string): Promise<void> {
  const file = recordOf(part);
  const text = await textOf(file);
  if (text === undefined || recordIn(text) !== undefined) return;
  // One that is new may have been cut short, by a full disk or a kill: then it is no whole JSON either.
  if (text.startsWith(BEGINNING.slice(0, text.length)) && !text.trimEnd().endsWith('}')) return;
  throw new CommandError(
    exitCodes.failed,
    `${file} is there, and pailfs get has not made it: move it, or choose another name`,
  );
}

/** Undefined when there is none that can be understood. */
export async function readRecord(part: string): Promise<PartRecord | undefined> {
  const text = await textOf(recordOf(part));
  return text === undefined ? undefined : recordIn(text);
}

function recordIn(text: string): PartRecord | undefined {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Over what it says, in one call: where the disk is full, or a kill comes, the bytes that are there would else be nobody's. */
export async function writeRecord(part: string, record: PartRecord): Promise<void> {
  const file = await open(recordOf(part), constants.O_WRONLY | constants.O_CREAT);
  try {
    const text = JSON.stringify(recordSchema.parse(record));
    const longer = (await file.stat()).size - Buffer.byteLength(text);
    await file.writeFile(text + ' '.repeat(Math.max(0, longer)));
  } finally {
    await file.close();
  }
}

export function isSameOrigin(one: Origin, other: Origin): boolean {
  return (Object.keys(originSchema.shape) as (keyof Origin)[]).every((field) => one[field] === other[field]);
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
