/** Which file of the account can be read to find something out? Any that holds enough bytes; looked for in a few requests. */
import type { ObjectService } from '../../service/object-service.ts';
import type { Bucket } from '../../service/records.ts';

export interface FileToRead {
  /** Identifier. */
  readonly bucket: string;
  readonly key: string;
}

/** Of one byte, the first byte is all there is. */
const LEAST_SIZE = 2;
/** Of pages of listings in all: a person waits. */
const MOST_REQUESTS = 10;
const MOST_FOLDERS_DEEP = 3;

/** Undefined when none is found soon. Rejects with a `Refusal`. */
export async function findFileToRead(
  service: ObjectService,
  buckets: readonly Bucket[],
): Promise<FileToRead | undefined> {
  const places = buckets.map(({ bucket }) => ({ bucket, folder: '', depth: 0 }));
  for (let requests = 0; requests < MOST_REQUESTS; requests += 1) {
    const place = places.shift();
    if (place === undefined) return undefined;
    const { bucket, folder, depth } = place;
    const page = await service.listObjects(bucket, { folder });
    const file = page.objects.find(({ size }) => size >= LEAST_SIZE);
    if (file !== undefined) return { bucket, key: file.key };
    if (depth === MOST_FOLDERS_DEEP) continue;
    const below = page.folders.map((path) => ({ bucket, folder: path.replace(/\/$/, ''), depth: depth + 1 }));
    places.unshift(...below.filter((one) => one.folder !== folder).slice(0, 2));
  }
  return undefined;
}
