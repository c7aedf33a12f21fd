/** `pailfs link`, `publish` and `unpublish`: who may fetch a file without credentials, and from where? */
import pLimit from 'p-limit';
import type { Visibility } from '../../service/records.ts';
import type { ExitCode } from '../command-error.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { BucketStores, parseAddress } from '../direct/object-address.ts';
import { outcomeOf, print, tellOutcomes, type DirectOutcome } from '../direct/print.ts';
import { openProgress } from '../direct/progress.ts';
import type { Session } from '../direct/session.ts';
import { sayToPerson } from '../report.ts';
import { counted, minuteOf, printable } from '../table.ts';
import type { FileLink, LinkableFile } from './linkable-file.ts';
import { mountedFiles } from './mounted-files.ts';
import { storedFiles } from './stored-files.ts';

export interface LinkWish {
  /** Folders with all files below them. */
  readonly recursive: boolean;
  readonly json: boolean;
}

/** What is done to each file. */
type Action = (file: LinkableFile) => Promise<FileLink>;

type LinkOutcome = DirectOutcome & Partial<FileLink>;

interface Task {
  readonly wish: LinkWish;
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
  const outcomes = await runOn(session, words, { wish, doing: 'asking for links', action });
  const code = tellOutcomes(outcomes, wish.json, 'has no link', ({ url }) => url ?? null);
  if (!wish.json) sayHowLong(outcomes);
  return code;
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
  const outcomes = await runOn(session, words, { wish, doing, action });
  const code = tellOutcomes(
    outcomes,
    wish.json,
    isPublic ? 'is not published' : 'is not made private',
    isPublic ? publishedLine : ({ what }) => `${what} is private`,
  );
  // §4.13: nobody can take it back at once.
  if (!isPublic && !wish.json && outcomes.some(({ isDone }) => isDone)) {
    print('a link that was public works for up to about a minute more');
  }
  return code;
}

function publishedLine({ what, url }: LinkOutcome): string {
  return url == null ? `${what} becomes public when it is stored` : `published ${what}: ${url}`;
}

async function runOn(
  session: Session | undefined,
  words: readonly string[],
  { wish, doing, action }: Task,
): Promise<readonly LinkOutcome[]> {
  const stores = session && new BucketStores(session);
  const found: (LinkableFile | DirectOutcome)[] = [];
  for (const word of words) {
    const outcome = await outcomeOf(word, async () => ({ files: await filesOf(stores, word, wish) }));
    found.push(...(outcome.files ?? [outcome]));
  }
  const progress = openProgress(doing, wish.recursive ? found.length : 0);
  const limit = pLimit(AT_ONCE);
  try {
    return await limit.map(found, async (each) => {
      const outcome = 'link' in each ? await outcomeOf(each.what, () => action(each)) : each;
      progress.add(1);
      return outcome;
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
  const soonest = Math.min(...ending.map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity));
  const whose =
    ending.length === 1 ? `${first.what} is private` : `${counted(ending.length, 'file')} are private`;
  const until = minuteOf(new Date(soonest));
  sayToPerson(
    printable(
      ending.length === 1
        ? `${whose}: its link works until ${until}`
        : `${whose}: their links work until ${until}, or longer`,
    ),
  );
}
