/** In which pieces do a draft's bytes leave for the service? */
import type { UploadBody } from '../service/object-service.ts';
import { ChunkMemory } from './chunk-memory.ts';
import type { DraftDigest } from './draft-digest.ts';
import { readFully, type LocalFile } from './local-files.ts';

/** Sees the bytes of an upload pass, in order; position 0 again when the upload is tried again. */
export type UploadTap = (data: Uint8Array, position: number) => void;

/** Bytes that are read at once. */
const CHUNK = 512 * 1024;
/** Bytes that are handed over at once: on a slow line what one of them tells of progress shall not take minutes. */
const PIECE = 128 * 1024;

export interface Departure {
  readonly file: Pick<LocalFile, 'read'>;
  /** All of its bytes. */
  readonly size: number;
  readonly contentType: string | undefined;
  /** Whether nobody has changed it since. */
  readonly isUnchanged: () => boolean;
  /** Sees what was read of it, before anybody else. */
  readonly digest: Pick<DraftDigest, 'pass'>;
  readonly tap: UploadTap | undefined;
  /** Hears up to which byte all is handed over: 0 at first, then each time that more is asked for. */
  readonly handedOver: (bytes: number) => void;
}

/** Its reading rejects with the disk's error, or when somebody has changed the draft. */
export function departing(departure: Departure): UploadBody {
  const memory = new ChunkMemory(CHUNK);
  const { size, contentType } = departure;
  return {
    size,
    contentType,
    open: () => piecesOf(departure, memory),
    giveBack: (piece) => {
      memory.giveBack(piece);
    },
  };
}

async function* piecesOf(
  { file, size, isUnchanged, digest, tap, handedOver }: Departure,
  memory: ChunkMemory,
): AsyncGenerator<Uint8Array> {
  handedOver(0);
  for (let position = 0; position < size;) {
    const chunk = memory.take(Math.min(CHUNK, size - position));
    const count = await readFully(file, chunk, position);
    const isWhole = (): boolean => isUnchanged() && count === chunk.length;
    if (isWhole()) digest.pass(chunk, position);
    for (let start = 0; start < chunk.length; start += PIECE) {
      if (!isWhole()) throw new Error('the draft changed while it was being uploaded');
      const piece = chunk.subarray(start, start + PIECE);
      tap?.(piece, position + start);
      yield piece;
      handedOver(position + start + piece.length);
    }
    position += chunk.length;
  }
}
