/** `pailfs rm`: deletes files, and folders with all that is in them, without a mount. */
import prettyBytes from 'pretty-bytes';
import { agrees } from '../screen/ask-person.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { sayToPerson } from '../screen/report.ts';
import { printable } from '../screen/screen-text.ts';
import { counted } from '../screen/figures.ts';
import { findTarget, isFolder, listTree, type TreeContent } from './folder-content.ts';
import { whileInterruptible } from './interruption.ts';
import { BucketStores, requireAddress, type ObjectAddress } from './object-address.ts';
import { outcomeOf, Telling, type DirectOutcome } from './outcomes.ts';
import type { Session } from './session.ts';
import { removeTree } from './tree-removal.ts';

export interface RmWish {
  /** Folders, too. */
  readonly recursive: boolean;
  /** Nobody is asked. */
  readonly yes: boolean;
  readonly json: boolean;
}

/** `words`: each `bucket:key`. Goes on after one that fails. */
export async function runRm(session: Session, words: readonly string[], wish: RmWish): Promise<ExitCode> {
  const addresses = words.map((word) => ({ word, address: requireAddress(word) }));
  const stores = new BucketStores(session);
  const success = ({ what }: DirectOutcome): string => `deleted ${what}`;
  const telling = new Telling({
    json: wish.json,
    debug: session.settings.debug,
    failure: 'is not deleted',
    done: 'is deleted',
    success,
  });
  const found: { readonly word: string; readonly outcome: DirectOutcome & Partial<Removal> }[] = [];
  // Nothing goes before a person has agreed to all of it.
  for (const { word, address } of addresses) {
    found.push({ word, outcome: await outcomeOf(word, () => removalOf(stores, word, address, wish)) });
  }
  return whileInterruptible(async (signal) => {
    for (const { word, outcome } of found) {
      if (signal.aborted) break;
      const { remove } = outcome;
      telling.tell(remove === undefined ? outcome : await outcomeOf(word, () => remove(signal)));
    }
    return telling.end();
  });
}

interface Removal {
  /** Rejects as `removeTree` does. */
  readonly remove: (signal: AbortSignal) => Promise<object>;
}

async function removalOf(
  stores: BucketStores,
  word: string,
  { bucket, key }: ObjectAddress,
  wish: RmWish,
): Promise<Removal> {
  const { store } = await stores.open(bucket);
  const target = await findTarget(store, key);
  if (target.kind === 'file') {
    // Whoever names one of two things has to say which: the other would stay, or go, unheard.
    if (wish.recursive && (await isFolder(store, `${key}/`)))
      throw new CommandError(
        exitCodes.failed,
        'it is a file and a folder: add / for the folder, or leave out -r',
      );
    return { remove: () => store.remove(key).then(() => ({})) };
  }
  if (!wish.recursive) throw new CommandError(exitCodes.failed, 'it is a folder: add -r');
  const { prefix } = target;
  const tree = await listTree(store, prefix);
  if (!wish.yes) await requireYes(word, tree);
  return { remove: (signal) => removeTree(store, prefix, tree, signal).then(() => ({})) };
}

async function requireYes(word: string, { files }: TreeContent): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const content = `${counted(files.length, 'file')} (${prettyBytes(bytes)})`;
  sayToPerson(`${printable(word)} holds ${content}`);
  if (await agrees(`Delete ${word} and all that is in it?`, `to delete ${word}, ${content}`)) return;
  throw new CommandError(exitCodes.failed, 'nobody agreed');
}
