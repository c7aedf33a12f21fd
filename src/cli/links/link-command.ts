/** `pailfs link`, `publish` and `unpublish`: who may fetch a file without credentials, and from where? */
import { atOnce } from '../../base/at-once.ts';
import type { Visibility } from '../../service/records.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { BucketStores, parseAddress } from '../direct/object-address.ts';
import { outcomeOf, Telling, type DirectOutcome } from '../direct/outcomes.ts';
import { print } from '../screen/stdout.ts';
import { openProgress } from '../direct/progress.ts';
import type { Session } from '../direct/session.ts';
import { sayToPerson } from '../screen/report.ts';
import { printable } from '../screen/screen-text.ts';
import { counted, minuteOf } from '../screen/figures.ts';
import type { FileLink, LinkableFile } from './linkable-file.ts';
import { mountedFiles } from './mounted-files.ts';
import { storedFiles } from './stored-files.ts';

export interface LinkWish {
  /** Folders with all files below them. */
  readonly recursive: boolean;
  readonly json: boolean;
  readonly debug?: boolean | undefined;
}

/** What is done to each file. */
type Action = (file: LinkableFile) => Promise<FileLink>;

type LinkOutcome = DirectOutcome & Partial<FileLink>;

interface Task {
  readonly wish: LinkWish;
  readonly telling: Telling<LinkOutcome>;
  /** While it goes on: "publishing". */
  readonly doing: string;
  readonly action: Action;
}

/** Small requests, as many as are answered about names at once. */
const AT_ONCE = 8;

/** One URL a line, and nothing else on stdout. Each command goes on after a file that fails; `session`: for `bucket:key`. */
export async function runLink(
  session: Session | undefined,
  words: readonly string[],
  wish: LinkWish,
): Promise<ExitCode> {
  const action: Action = async (file) => {
    const link = await file.link();
    if (link.url !== null) return link;
    throw new CommandError(exitCodes.failed, 'it is not stored yet: "pailfs uploads" tells why');
  };
  const success = ({ url }: LinkOutcome): string | null => url ?? null;
  const telling = new Telling<LinkOutcome>({
    json: wish.json,
    debug: wish.debug ?? false,
    failure: 'has no link',
    success,
  });
  await runOn(session, words, { wish, telling, doing: 'asking for links', action });
  if (!wish.json) sayHowLong(telling.outcomes);
  return telling.end();
}

/** §4.13 */
export async function runVisibility(
  session: Session | undefined,
  words: readonly string[],
  { visibility, ...wish }: LinkWish & { readonly visibility: Visibility },
): Promise<ExitCode> {
  const isPublic = visibility === 'public';
  const doing = isPublic ? 'publishing' : 'making private';
  const action: Action = (file) => file.setVisibility(visibility);
  const telling = new Telling<LinkOutcome>({
    json: wish.json,
    debug: wish.debug ?? false,
    failure: isPublic ? 'is not published' : 'is not made private',
    done: isPublic ? 'is public' : 'is private',
    success: isPublic ? publishedLine : ({ what }) => `${what} is private`,
  });
  await runOn(session, words, { wish, telling, doing, action });
  // §4.13: nobody can take it back at once.
  if (!isPublic && !wish.json && telling.outcomes.some(({ isDone }) => isDone)) {
    print('a link that was public works for up to about a minute more');
  }
  return telling.end();
}

function publishedLine({ what, url }: LinkOutcome): string {
  return url == null ? `${what} becomes public when it is stored` : `published ${what}: ${url}`;
}

async function runOn(
  session: Session | undefined,
  words: readonly string[],
  { wish, telling, doing, action }: Task,
): Promise<void> {
  const stores = session && new BucketStores(session);
  const found: { readonly file: LinkableFile; readonly place: number }[] = [];
  let places = 0;
  for (const word of words) {
    const { files, ...outcome } = await outcomeOf(word, async () => ({
      files: await filesOf(stores, word, wish),
    }));
    if (files === undefined) telling.tell(outcome, places++);
    else for (const file of files) found.push({ file, place: places++ });
  }
  const progress = openProgress(doing, wish.recursive ? found.length : 0);
  try {
    await atOnce(found, AT_ONCE, async ({ file, place }) => {
      const outcome = await outcomeOf(file.what, () => action(file));
      progress.above(() => {
        telling.tell(outcome, place);
      });
      progress.add(1);
    });
  } finally {
    progress.end();
  }
}

function filesOf(
  stores: BucketStores | undefined,
  word: string,
  { recursive }: LinkWish,
): Promise<readonly LinkableFile[]> {
  const address = parseAddress(word);
  if (stores === undefined || address === undefined) return mountedFiles(word, recursive);
  return storedFiles(stores, address, recursive);
}

/** On stderr: the links themselves go on to another program. */
function sayHowLong(outcomes: readonly LinkOutcome[]): void {
  const ending = outcomes.flatMap((outcome) => (outcome.expiresAt == null ? [] : [outcome]));
  const [first] = ending;
  if (first === undefined) return;
  const soonest = ending.reduce(
    (least, { expiresAt }) => Math.min(least, expiresAt?.getTime() ?? least),
    Infinity,
  );
  const until = minuteOf(new Date(soonest));
  sayToPerson(
    ending.length === 1
      ? `${printable(first.what)} is private: its link works until ${until}`
      : `${counted(ending.length, 'file')} are private: their links work until ${until}, or longer`,
  );
}
