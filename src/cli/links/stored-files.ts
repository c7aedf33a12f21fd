/** Which files of a bucket does `bucket:key` mean? Asked of the service, without a mount. (§4.12 to §4.14) */
import type { VisibilityRecord } from '../../service/records.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { findTarget, listTree } from '../direct/folder-content.ts';
import type { BucketStores, ObjectAddress } from '../direct/object-address.ts';
import type { FileLink, LinkableFile } from './linkable-file.ts';

/** `recursive`: all files below a folder, too. Rejects with a `CommandError` or a `Refusal`. */
export async function storedFiles(
  stores: BucketStores,
  { bucket, key }: ObjectAddress,
  recursive: boolean,
): Promise<readonly LinkableFile[]> {
  const { store } = await stores.open(bucket);
  const target = await findTarget(store, key);
  if (target.kind === 'file') return [linkable(store, bucket, key)];
  if (!recursive) throw new CommandError(exitCodes.failed, 'it is a folder: add -r');
  const { files } = await listTree(store, target.prefix);
  return files.map((file) => linkable(store, bucket, file.key));
}

function linkable(store: BucketStore, bucket: string, key: string): LinkableFile {
  return {
    what: `${bucket}:${key}`,
    link: async () => {
      const { visibility, url, expiresAt } = await store.link(key);
      return { visibility, url, expiresAt };
    },
    setVisibility: async (visibility) => fileLink(await store.setVisibility(key, visibility)),
  };
}

function fileLink({ visibility, url, shareUrl, shareExpiresAt }: VisibilityRecord): FileLink {
  return visibility === 'public'
    ? { visibility, url, expiresAt: null }
    : { visibility, url: shareUrl, expiresAt: shareExpiresAt };
}
