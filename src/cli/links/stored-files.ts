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
  const own = target.kind === 'file' ? [linkable(store, bucket, key)] : [];
  if (!recursive) {
    if (target.kind === 'file') return own;
    throw new CommandError(exitCodes.failed, 'it is a folder: add -r');
  }
  // Beside a file there may be a folder of its name, which a mount does not show: its links are meant, too.
  const { files, unlisted } = await listTree(store, target.kind === 'file' ? `${key}/` : target.prefix);
  return [
    ...own,
    ...files.map((file) => linkable(store, bucket, file.key)),
    ...unlisted.map((folder) => unlistable(`${bucket}:${folder}`)),
  ];
}

/** Not passed over in silence: a link that was to go would stay. */
function unlistable(what: string): LinkableFile {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new CommandError(exitCodes.failed, 'the service does not list what is in it: name each file'),
    );
  return { what, link: refuse, setVisibility: refuse };
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
