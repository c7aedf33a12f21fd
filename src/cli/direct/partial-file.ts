/**
 * What of a download is there already, and of which version? `NAME.part` holds the bytes until they are all there, and
 * `NAME.part.json` says what they are: without it nobody may go on with them.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import { MAX_NAME_BYTES } from '../../store/keys.ts';
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

export class PartialFile {
  /** Where the bytes are until they are all there. */
  readonly path: string;
  readonly #target: string;
  readonly #handle: FileHandle;
  #length: number;

  private constructor(target: string, path: string, handle: FileHandle, length: number) {
    this.#target = target;
    this.path = path;
    this.#handle = handle;
    this.#length = length;
  }

  /** Rejects with a `CommandError` when something else has the name, or with a Node system error. */
  static async open(target: string, origin: Origin): Promise<PartialFile> {
    const part = partOf(target);
    const known = await readOrigin(part);
    if (known === undefined && (await exists(part))) {
      throw new CommandError(
        exitCodes.failed,
        `${part} is there, and no download says that it is its: remove it`,
      );
    }
    const isSame = known !== undefined && isSameOrigin(known, origin);
    // Before the first byte of another version.
    if (!isSame) {
      await rm(part, { force: true });
      await writeFile(`${part}.json`, JSON.stringify(origin));
    }
    const handle = await open(part, constants.O_RDWR | constants.O_CREAT);
    const { size } = await handle.stat();
    return new PartialFile(target, part, handle, size);
  }

  /** Bytes that are there, from the beginning. */
  get length(): number {
    return this.#length;
  }

  async truncate(): Promise<void> {
    await this.#handle.truncate(0);
    this.#length = 0;
  }

  async write(data: Uint8Array, position: number): Promise<void> {
    for (let written = 0; written < data.length;) {
      const { bytesWritten } = await this.#handle.write(
        data,
        written,
        data.length - written,
        position + written,
      );
      written += bytesWritten;
    }
    this.#length = position + data.length;
  }

  /** All bytes are there: the target has them, in place of what it was. */
  async finish(): Promise<void> {
    await this.#handle.sync();
    await rename(this.path, this.#target);
    await rm(`${this.path}.json`, { force: true });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** A name that leaves no room for the ending is replaced by its hash. */
function partOf(target: string): string {
  const name = basename(target);
  if (Buffer.byteLength(`${name}.part.json`) <= MAX_NAME_BYTES) return `${target}.part`;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return join(dirname(target), `${hash}.part`);
}

async function readOrigin(part: string): Promise<Origin | undefined> {
  try {
    const parsed = originSchema.safeParse(JSON.parse(await readFile(`${part}.json`, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isSameOrigin(one: Origin, other: Origin): boolean {
  return (Object.keys(one) as (keyof Origin)[]).every((field) => one[field] === other[field]);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
