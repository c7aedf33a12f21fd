/** `pailfs ls`: what is in a bucket or folder, without a mount? */
import prettyBytes from 'pretty-bytes';
import type { FileEntry } from '../../service/records.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { BucketStore } from '../../store/bucket-store.ts';
import { exitCodes, type ExitCode } from '../command-error.ts';
import { sayToPerson } from '../screen/report.ts';
import { printable, screenWidth } from '../screen/screen-text.ts';
import { minuteOf } from '../screen/figures.ts';
import { tableOf, type Column } from '../screen/table.ts';
import { isListed, listFolder, type FolderContent } from './folder-content.ts';
import { BucketStores, parseAddress, requireAddress, type ObjectAddress } from './object-address.ts';
import { print } from '../screen/stdout.ts';
import { outcomeOf, Telling, type DirectOutcome } from './outcomes.ts';
import type { Session } from './session.ts';

export interface LsWish {
  readonly long: boolean;
  readonly json: boolean;
}

interface Row {
  readonly name: string;
  /** Null for a folder. */
  readonly file: FileEntry | null;
}

interface Listed extends FolderContent {
  /** What names leave away: empty for the top, else with a slash at the end. */
  readonly prefix: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'SIZE', shrinks: false, text: ({ file }) => (file === null ? '-' : prettyBytes(file.size)) },
  {
    title: 'MODIFIED',
    shrinks: false,
    text: ({ file }) => (file === null ? '-' : minuteOf(file.lastModified)),
  },
  { title: 'NAME', shrinks: true, text: ({ name }) => name },
];

/** `words`: each a bucket, or `bucket:key`. */
export async function runLs(session: Session, words: readonly string[], wish: LsWish): Promise<ExitCode> {
  const asked = words.map((word) => ({ word, address: addressOf(word) }));
  const stores = new BucketStores(session);
  const telling = new Telling({
    json: wish.json,
    debug: session.settings.debug,
    failure: 'cannot be listed',
    success: () => null,
  });
  for (const [place, { word, address }] of asked.entries()) {
    const outcome = await outcomeOf(word, () => listed(stores, address));
    telling.tell(outcome);
    if (wish.json || !outcome.isDone) continue;
    if (place > 0) print('');
    if (words.length > 1) print(`${word}:`);
    show(outcome, wish.long);
  }
  const areClear = telling.outcomes.map(tellUnclear);
  const code = telling.end();
  return areClear.includes(false) && code === exitCodes.done ? exitCodes.failed : code;
}

/** False when it is not listed whole. */
function tellUnclear({ what, unclear = 0 }: DirectOutcome & Partial<Listed>): boolean {
  if (unclear > 0)
    sayToPerson(
      `${printable(what)} is not listed whole: the service shows things in it without a name, a size or a date (${unclear})`,
    );
  return unclear === 0;
}

/** A bucket may be named without the colon: nothing else can be meant. No name has a slash (§2.1, §4.3). */
function addressOf(word: string): ObjectAddress {
  return word.includes('/') ? requireAddress(word) : (parseAddress(word) ?? { bucket: word, key: '' });
}

async function listed(stores: BucketStores, { bucket, key }: ObjectAddress): Promise<Listed> {
  const { store } = await stores.open(bucket);
  const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
  const content = await listFolder(store, prefix);
  // A folder wins over a file of the same name, as in a mount.
  if (content.folders.length + content.files.length > 0) return { prefix, ...content };
  const file = key === prefix ? undefined : await fileAt(store, key);
  if (file !== undefined) {
    return { prefix: key.slice(0, key.lastIndexOf('/') + 1), folders: [], files: [file], unclear: 0 };
  }
  if (await isListed(store, prefix)) return { prefix, ...content };
  // The refusal of the file is what a person shall read.
  await store.head(key);
  return { prefix, ...content };
}

async function fileAt(store: BucketStore, key: string): Promise<FileEntry | undefined> {
  try {
    const { size, etag, lastModified } = await store.head(key);
    return { key, size, etag, lastModified };
  } catch (error) {
    if (isRefusal(error, 'missing')) return undefined;
    throw error;
  }
}

function show({ prefix = '', folders = [], files = [] }: Partial<Listed>, long: boolean): void {
  const rows: Row[] = [
    ...folders.map((folder) => ({ name: folder.slice(prefix.length), file: null })),
    ...files.map((file) => ({ name: file.key.slice(prefix.length) || './', file })),
  ];
  if (!long) for (const { name } of rows) print(name);
  else if (rows.length > 0) process.stdout.write(tableOf(COLUMNS, rows, screenWidth()));
}
