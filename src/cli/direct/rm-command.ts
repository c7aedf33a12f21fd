/** `pailfs rm`: deletes files, and folders with all that is in them, without a mount. */
import prettyBytes from 'pretty-bytes';
import { atOnce } from '../../base/at-once.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { agrees } from '../ask-person.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { sayToPerson } from '../report.ts';
import { counted, printable } from '../table.ts';
import { findTarget, isListed, listTree, type TreeContent } from './folder-content.ts';
import { BucketStores, requireAddress, type ObjectAddress } from './object-address.ts';
import { outcomeOf, Telling, type DirectOutcome } from './print.ts';
import { openProgress } from './progress.ts';
import type { Session } from './session.ts';

export interface RmWish {
  /** Folders, too. */
  readonly recursive: boolean;
  /** Nobody is asked. */
  readonly yes: boolean;
  readonly json: boolean;
}

/** Requests at once; each is small. */
const AT_ONCE = 8;

/** `words`: each `bucket:key`. Goes on after one that fails. */
export async function runRm(session: Session, words: readonly string[], wish: RmWish): Promise<ExitCode> {
  const addresses = words.map((word) => ({ word, address: requireAddress(word) }));
  const stores = new BucketStores(session);
  const success = ({ what }: DirectOutcome): string => `deleted ${what}`;
  const telling = new Telling({
    json: wish.json,
    debug: session.settings.debug,
    failure: 'is not deleted',
    success,
  });
  for (const { word, address } of addresses) {
    telling.tell(await outcomeOf(word, () => removed(stores, word, address, wish)));
  }
  return telling.end();
}

async function removed(
  stores: BucketStores,
  word: string,
  { bucket, key }: ObjectAddress,
  wish: RmWish,
): Promise<object> {
  const { store } = await stores.open(bucket);
  const target = await findTarget(store, key);
  if (target.kind === 'file') {
    await store.remove(key);
    return {};
  }
  if (!wish.recursive) throw new CommandError(exitCodes.failed, 'it is a folder: add -r');
  const { prefix } = target;
  const tree = await listTree(store, prefix);
  if (!wish.yes) await requireYes(word, tree);
  await removeTree(store, prefix, tree);
  return {};
}

async function requireYes(word: string, { files }: TreeContent): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const content = `${counted(files.length, 'file')} (${prettyBytes(bytes)})`;
  sayToPerson(printable(`${word} holds ${content}`));
  if (await agrees(printable(`Delete ${word} and all that is in it?`), `to delete ${word}, ${content}`))
    return;
  throw new CommandError(exitCodes.failed, 'nobody agreed');
}

/** Files, then folders from the deepest. Rejects with the first refusal; what is deleted until then stays so. */
async function removeTree(store: BucketStore, prefix: string, tree: TreeContent): Promise<void> {
  const progress = openProgress('deleting', tree.files.length);
  try {
    await atOnce(tree.files, AT_ONCE, async ({ key }) => {
      await store.remove(key);
      progress.add(1);
    });
  } finally {
    progress.end();
  }
  const folders = prefix === '' ? tree.folders : [prefix, ...tree.folders];
  for (const folder of folders.toReversed()) await store.remove(folder);
  // The interface does not say that a DELETE of a folder removes it.
  const [left] = prefix === '' ? tree.folders : [prefix];
  if (left === undefined || !(await isListed(store, left))) return;
  throw new CommandError(
    exitCodes.failed,
    `its files are deleted, but the service still shows ${left}: something new is in it, or folders stay`,
  );
}
