/** What does one case of the acceptance suite get? A file system with a folder of its own, and a view of the service below. */
import { constants } from 'node:fs';
import { expect } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { bytesOf, uploadOf } from '../support/embedded-service.ts';
import { heldByService } from '../support/held-files.ts';
import type { Posix } from './posix.ts';

export interface SubjectParts {
  readonly posix: Posix;
  readonly direct: ObjectService;
  readonly bucket: string;
  /** Key of an existing folder, without trailing slash. */
  readonly folder: string;
  /** Makes the file system forget what it knew. */
  readonly refresh: () => Promise<void>;
  /** Resolves when what closes have promised is stored, where they promise more than they have done. */
  readonly settle?: () => Promise<void>;
}

/** Opens one for a case; gone with its test. */
export type OpenSubject = () => Promise<Subject>;

export const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants;

export class Subject {
  readonly posix: Posix;
  readonly #parts: SubjectParts;

  constructor(parts: SubjectParts) {
    this.posix = parts.posix;
    this.#parts = parts;
  }

  /** The path of a name in this case's folder; of the folder itself when absent. */
  at(name?: string): string {
    const { folder } = this.#parts;
    return name === undefined ? `/${folder}` : `/${folder}/${name}`;
  }

  /** As `echo > name` does. */
  async write(name: string, content: string | Uint8Array): Promise<void> {
    const file = await this.posix.open(this.at(name), O_WRONLY | O_CREAT | O_TRUNC);
    await file.write(content);
    await file.close();
  }

  /** As `cat` does. */
  async read(name: string): Promise<Buffer> {
    const file = await this.posix.open(this.at(name), O_RDONLY);
    const pieces: Buffer[] = [];
    try {
      for (;;) {
        const piece = await file.read(100_000);
        pieces.push(piece);
        if (piece.length === 0) return Buffer.concat(pieces);
      }
    } finally {
      await file.close();
    }
  }

  async text(name: string): Promise<string> {
    return (await this.read(name)).toString();
  }

  /** What the service holds under the key of `name`. */
  async stored(name: string): Promise<Buffer> {
    const { direct, bucket } = this.#parts;
    await this.#parts.settle?.();
    return bytesOf((await direct.getObject(bucket, this.#key(name))).body);
  }

  /** The names of all files and folders that the service holds below this case's folder; folders end in `/`. */
  async storedNames(): Promise<string[]> {
    const { direct, bucket, folder } = this.#parts;
    await this.#parts.settle?.();
    return Object.keys(await heldByService(direct, bucket, folder));
  }

  /** The file reads as `content`, has its size, and the service holds the same. */
  async expectContent(name: string, content: string | Uint8Array): Promise<void> {
    await this.#expectReadable(name, content);
    const isStored = Buffer.from(content).equals(await this.stored(name));
    expect(isStored, `${name} is stored as it should be`).toBe(true);
  }

  /** The file is empty, here and soon on the service: what only emptied it goes up after its last close. */
  async expectEmptied(name: string): Promise<void> {
    await this.#expectReadable(name, '');
    await expect.poll(() => this.stored(name)).toHaveLength(0);
  }

  /** The name is free, here and on the service. */
  async expectMissing(name: string): Promise<void> {
    await expect(this.posix.stat(this.at(name))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await this.posix.readdir(this.at())).not.toContain(name);
    expect(await this.storedNames()).not.toContain(name);
  }

  /** Somebody elsewhere stores a file, and the file system looks again. */
  async foreignWrite(name: string, content: string | Uint8Array): Promise<void> {
    const { direct, bucket, refresh } = this.#parts;
    await this.#parts.settle?.();
    await direct.putObject(bucket, this.#key(name), uploadOf(content));
    await refresh();
  }

  async storedEtag(name: string): Promise<string> {
    const { direct, bucket } = this.#parts;
    await this.#parts.settle?.();
    return (await direct.headObject(bucket, this.#key(name))).etag;
  }

  async storedVisibility(name: string): Promise<string> {
    const { direct, bucket } = this.#parts;
    await this.#parts.settle?.();
    return (await direct.getVisibility(bucket, this.#key(name))).visibility;
  }

  /** The file reads as `content` and has its size. */
  async #expectReadable(name: string, content: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(content);
    const { size, kind } = await this.posix.stat(this.at(name));
    expect({ size, kind }).toEqual({ size: bytes.length, kind: 'file' });
    expect(bytes.equals(await this.read(name)), `${name} reads as it should`).toBe(true);
  }

  #key(name: string): string {
    return `${this.#parts.folder}/${name}`;
  }
}

/** Expects a call to be refused with this errno. */
export async function refuses(code: string, call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({ code });
}

/** The name of its errno. Throws what carries none. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}
