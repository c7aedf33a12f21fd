/** What does the service hold? Looked at from beside the mount. */
import type { ObjectService } from '../../src/service/object-service.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { bytesOf } from '../support/embedded-service.ts';

export interface ServiceNames {
  /** Keys. */
  readonly files: ReadonlySet<string>;
  /** Ending in `/`. */
  readonly folders: ReadonlySet<string>;
}

/** All keys and folders below `folder` (no slash at either end; empty for the top). */
export async function namesBelow(
  service: ObjectService,
  bucket: string,
  folder: string,
): Promise<ServiceNames> {
  const files = new Set<string>();
  const folders = new Set<string>();
  let page: string | undefined;
  do {
    const answer = await service.listObjects(bucket, { folder, page });
    for (const { key } of answer.objects) if (!key.endsWith('/')) files.add(key);
    for (const below of answer.folders) folders.add(below);
    page = answer.nextPage ?? undefined;
  } while (page !== undefined);
  for (const below of [...folders]) {
    const names = await namesBelow(service, bucket, below.slice(0, -1));
    for (const key of names.files) files.add(key);
    for (const inside of names.folders) folders.add(inside);
  }
  return { files, folders };
}

/** Null for nothing. */
export async function bytesUnder(
  service: ObjectService,
  bucket: string,
  key: string,
): Promise<Buffer | null> {
  try {
    return await bytesOf((await service.getObject(bucket, key)).body);
  } catch (error) {
    if (isRefusal(error, 'missing')) return null;
    throw error;
  }
}
