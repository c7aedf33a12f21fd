/**
 * Where do the bytes of `pailfs put` come from? A file as it is; of stdin, a pipe or a device a copy is made first: an upload
 * needs its size beforehand (§4.7), and a try that fails begins again.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChunkMemory } from '../../content/chunk-memory.ts';
import type { UploadBody } from '../../service/object-service.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { openStdin } from './standard-streams.ts';

/** Read at once, and as long as the client gives back (upload-stream.ts). */
const PIECE_BYTES = 128 * 1024;

export interface UploadSource {
  /** Of a regular file. */
  readonly file: FileHandle;
  /** Bytes. */
  readonly size: number;
  close(): Promise<void>;
}

/** `word`: a path, or `-` for stdin. Rejects with a `CommandError` or a Node system error. */
export async function openSource(word: string): Promise<UploadSource> {
  if (word === '-') return copyOf(openStdin());
  const found = await stat(word);
  if (found.isDirectory()) {
    throw new CommandError(exitCodes.failed, 'it is a directory: mount the bucket and use cp -r, or rsync');
  }
  return found.isFile() ? sourceOf(await open(word)) : copyOf(createReadStream(word));
}

async function copyOf(stream: NodeJS.ReadableStream): Promise<UploadSource> {
  const file = await namelessFile();
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) await file.writeFile(piece);
    return await sourceOf(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** However the command ends, nothing of it stays. */
async function namelessFile(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'pailfs-put-'));
  try {
    return await open(join(directory, 'bytes'), 'wx+', 0o600);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function sourceOf(file: FileHandle): Promise<UploadSource> {
  return { file, size: (await file.stat()).size, close: () => file.close() };
}

/** The bytes of a file as they are sent, and what they were. */
export class SentFile implements UploadBody {
  readonly size: number;
  readonly contentType: string;
  readonly #file: FileHandle;
  readonly #sent: (bytes: number) => void;
  readonly #memory = new ChunkMemory(PIECE_BYTES);
  /** Of the try that was read to its end last. */
  #whole: string | null = null;
  /** Of the last try. */
  #hash: Hash = createHash('md5');

  /** `sent`: told how many bytes of this try may have left. */
  constructor({ file, size }: UploadSource, contentType: string, sent: (bytes: number) => void) {
    this.#file = file;
    this.size = size;
    this.contentType = contentType;
    this.#sent = sent;
  }

  /** Of the last try of which all bytes were read: no other can have stored them. Of what was read, when there is none. Lower-case hexadecimal. */
  md5(): Promise<string> {
    return Promise.resolve(this.#whole ?? this.#hash.copy().digest('hex'));
  }

  /** Rejects with a `CommandError` before its end when the file was changed meanwhile: half of one content and half of another is neither. */
  async *open(): AsyncIterable<Uint8Array> {
    const before = await this.#file.stat({ bigint: true });
    const hash = createHash('md5');
    this.#hash = hash;
    let bytes = 0;
    this.#sent(bytes);
    for await (const piece of piecesOf(this.#file, this.#memory)) {
      hash.update(piece);
      bytes += piece.length;
      // A file that somebody writes, or one of /proc, whose size is none.
      if (bytes > this.size)
        throw new CommandError(
          exitCodes.failed,
          'it is longer than when it was opened: put it again, or give it on stdin',
        );
      this.#sent(bytes);
      yield piece;
    }
    if (bytes < this.size)
      throw new CommandError(
        exitCodes.failed,
        'it is shorter than when it was opened: put it again, or give it on stdin',
      );
    // What has grown since its end was read may have changed before.
    if (before.mtimeNs !== (await this.#file.stat({ bigint: true })).mtimeNs) {
      throw new CommandError(exitCodes.failed, 'a program changed it while it was read: put it again');
    }
    this.#whole = hash.copy().digest('hex');
  }

  giveBack(piece: Uint8Array): void {
    this.#memory.giveBack(piece);
  }
}

/** To its end, a piece ahead. A stream of Node's would close the file for whoever reads no further, and a try that is cut does not. */
async function* piecesOf(file: FileHandle, memory: ChunkMemory): AsyncGenerator<Uint8Array> {
  let next = pieceAt(file, 0, memory);
  for (let position = 0; ;) {
    const piece = await next;
    if (piece.length === 0) return;
    position += piece.length;
    next = pieceAt(file, position, memory);
    // Nobody may come for it.
    next.catch(() => undefined);
    yield piece;
  }
}

/** Empty at the end. */
async function pieceAt(file: FileHandle, position: number, memory: ChunkMemory): Promise<Uint8Array> {
  const { bytesRead, buffer } = await file.read(memory.take(PIECE_BYTES), 0, PIECE_BYTES, position);
  return buffer.subarray(0, bytesRead);
}
