/**
 * Which link has a file of a mount? The same as its extended attributes say: `pailfs link` and `getfattr` agree, and what is
 * refused to the one is refused to the other, but here in words.
 */
import { FsError } from '../../filesystem/errors.ts';
import type { FileSystemOperations } from '../../filesystem/operations.ts';
import type { Visibility } from '../../service/records.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import type { LinkDocument } from './control-documents.ts';
import { EndUnknown, mayBeDone, reasonOf } from '../connecting/refused.ts';

type Attribute = 'visibility' | 'url' | 'share_url' | 'share_expires_at';

/** Rejects with a `CommandError` that says why. Asks the service once at most: all is of one record. */
export async function linkOf(operations: FileSystemOperations, path: string): Promise<LinkDocument> {
  return inWords(async () => {
    const valueOf = async (name: Attribute): Promise<string> =>
      Buffer.from(await operations.getXattr(path, `user.pailfs.${name}`)).toString();
    if ((await operations.getAttributes(path)).kind === 'folder') {
      throw new FsError('EISDIR', path, 'it is a folder');
    }
    const visibility = (await valueOf('visibility')) === 'public' ? 'public' : 'private';
    const url = await valueOf(visibility === 'public' ? 'url' : 'share_url');
    const expiresAt = visibility === 'public' ? '' : await valueOf('share_expires_at');
    return { visibility, url: url || null, expiresAt: expiresAt || null };
  });
}

/** As `linkOf`, after the change; with an `EndUnknown` where it may have been made. */
export async function withVisibility(
  operations: FileSystemOperations,
  path: string,
  visibility: Visibility,
): Promise<LinkDocument> {
  return inWords(async () => {
    await operations.setXattr(path, 'user.pailfs.visibility', Buffer.from(visibility), 'any');
    return linkOf(operations, path).catch(throwAfterwards);
  });
}

function throwAfterwards(error: unknown): never {
  if (!(error instanceof CommandError)) throw error;
  throw new EndUnknown(error.exitCode, error.message, { cause: error });
}

/** How many keys of the folder at `path` no name can show. Rejects as `linkOf`. */
export async function hiddenIn(operations: FileSystemOperations, path: string): Promise<number> {
  return inWords(async () => Number(Buffer.from(await operations.getXattr(path, 'user.pailfs.hidden'))));
}

async function inWords<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    const Failure = mayBeDone(error.cause) ? EndUnknown : CommandError;
    throw new Failure(exitCodes.failed, reasonOf(error.cause) ?? error.reason, { cause: error });
  }
}
