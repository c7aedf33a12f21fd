/** How does a folder go from a bucket, with all that is in it, and what is said when that ends half-way? (§4.10) */
import pLimit from 'p-limit';
import type { BucketStore } from '../../store/bucket-store.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { counted } from '../screen/figures.ts';
import { isListed, listFolder, type TreeContent } from './folder-content.ts';
import { openProgress } from './progress.ts';
import { reasonOf } from '../connecting/refused.ts';

/** Requests at once; each is small. */
const AT_ONCE = 8;

/**
 * Files, then folders from the deepest. Ends at the first refusal, or at `signal`, and waits for the requests under way. Rejects
 * with a `CommandError` that says how many files were deleted until then, or with what nobody foresaw.
 */
export async function removeTree(
  store: BucketStore,
  prefix: string,
  tree: TreeContent,
  signal: AbortSignal,
): Promise<void> {
  const { deleted, failure } = await removeFiles(store, tree, signal);
  const all = counted(tree.files.length, 'file');
  try {
    if (failure !== undefined) throw failure;
    await removeFolders(store, prefix === '' ? tree.folders : [prefix, ...tree.folders], signal);
  } catch (error) {
    const why = signal.aborted ? 'interrupted' : reasonOf(error);
    if (why === undefined) throw error;
    throw new CommandError(exitCodes.failed, `${why} (${deleted} of its ${all} were deleted)`, {
      cause: error,
    });
  }
  // The interface does not say that a DELETE of a folder removes it.
  const left = await leftOf(store, prefix);
  if (left === undefined) return;
  throw new CommandError(
    exitCodes.failed,
    `its files are deleted, but the service still shows ${left}: something new is in it, or folders stay`,
  );
}

/** What of it the service still shows. */
async function leftOf(store: BucketStore, prefix: string): Promise<string | undefined> {
  if (prefix !== '') return (await isListed(store, prefix)) ? prefix : undefined;
  // The top itself stays.
  const { folders, files, unclear } = await listFolder(store, '');
  return folders[0] ?? files[0]?.key ?? (unclear > 0 ? 'things without a name, a size or a date' : undefined);
}

/** Never rejects. */
async function removeFiles(
  store: BucketStore,
  { files }: TreeContent,
  signal: AbortSignal,
): Promise<{ readonly deleted: number; readonly failure: Error | undefined }> {
  const progress = openProgress('deleting', files.length);
  const limit = pLimit({ concurrency: AT_ONCE, rejectOnClear: true });
  const stop = (): void => {
    limit.clearQueue();
  };
  let deleted = 0;
  let failure: Error | undefined;
  signal.addEventListener('abort', stop);
  await Promise.all(
    files.map(({ key }) =>
      limit(async () => {
        await store.remove(key);
        deleted += 1;
        progress.add(1);
      }).catch((error: unknown) => {
        failure ??= error instanceof Error ? error : new Error('thrown', { cause: error });
        stop();
      }),
    ),
  );
  signal.removeEventListener('abort', stop);
  progress.end();
  return { deleted, failure };
}

async function removeFolders(
  store: BucketStore,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const folder of folders.toReversed()) {
    signal.throwIfAborted();
    await store.remove(folder);
  }
}
