/**
 * A program has a file open that was stored here, and the name shows a version that others seem to have stored: is it ours? Where neither
 * MD5 nor Date tells, its bytes do, once.
 */
import { isRefusal } from '../service/refusal.ts';
import type { MountState } from './mount-state.ts';

/** Rejects with the service's refusal. Call before what `path` shows is taken for another file than the open one. */
export async function nameOwnVersion({ namespace, table }: MountState, path: string): Promise<void> {
  const open = table.get(path);
  const known = namespace.known.recall(path);
  if (open?.version == null || open.dirty || known?.kind !== 'file') return;
  const { version } = open;
  const { size, etag, lastModified } = known.version;
  if (etag === null || version.isSame(known.version) || !version.mayBe({ size, etag, lastModified })) return;
  try {
    await namespace.confirmFile(path, [version]);
  } catch (error) {
    if (!isRefusal(error, 'missing')) throw error;
  }
}
