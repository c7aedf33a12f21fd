/**
 * What does the service do where the spec is silent?
 *
 * Each field is one such question, each value one answer that a real service could give. Clients must live with all of
 * them; the defaults are the most common answers.
 */

/** One answer to each question that the spec leaves open. */
export interface Behaviours {
  /** GET with a Range header (§4.8 does not mention it): obeyed, ignored (200), refused (416), or obeyed with half of the bytes, or one. */
  readonly range: 'honoured' | 'ignored' | 'refused' | 'short' | 'crumbs';
  /**
   * When does a folder go? `implicit`: with its last file, unless it was made by Create a folder. `lasting`: folders made on
   * the way to an upload (§3.2) stay too. `vanishing`: every folder goes with its last file.
   */
  readonly folders: 'implicit' | 'lasting' | 'vanishing';
  /** DELETE of `x/` where `x` is a folder: removes an empty one, or does nothing, 204 either way; or 400, as for a name that it does not take. */
  readonly deleteFolder: 'removes' | 'ignored' | 'refused';
  /** Create a folder where there is one, or a file of its name: made (201), or refused (409). */
  readonly existingFolder: 'made' | 'refused';
  /** Listing a folder that does not exist. */
  readonly missingFolder: 'empty' | 'missing';
  /** HEAD and GET of `x/` where `x` is a folder: 200 with no bytes, or 404. */
  readonly headFolder: 'found' | 'missing';
  /** Whether the listing of a created folder `a` holds an entry `a/` of size 0. */
  readonly folderEntries: 'hidden' | 'listed';
  /** `nasty`: every liberty of §4.11 rule 6 is taken: short, empty and one-kind pages, null lists, an empty last page. */
  readonly pages: 'ordinary' | 'nasty';
  /** The order of a listing, of which §4.11 says nothing. `scattered`: none that names could tell, and the same on every page. */
  readonly order: 'keys' | 'scattered';
  /** What an ETag is made of. `hex`: it looks like an MD5 and is none, as those of files that a service keeps encrypted. */
  readonly etag: 'md5' | 'random' | 'hex';
  /** How listings write ETags; `weak` also applies to headers, which are quoted otherwise (§4.9). */
  readonly etagStyle: 'bare' | 'quoted' | 'weak';
  /** Seconds by which the Date header is ahead of Last-Modified's clock; or no Date header. */
  readonly date: number | 'missing';
  /** Which of HTTP's three formats Last-Modified and Date have: the spec names none (§4.8). */
  readonly httpDates: 'fixdate' | 'rfc850' | 'asctime';
  /** Get and Set visibility of a missing file. */
  readonly missingVisibility: 404 | 400;
  /** A `limit` above the most: lowered to it, or refused with 400. */
  readonly excessiveLimit: 'lowered' | 'refused';
  /** What a new bucket is: ACTIVE at once, or PENDING until the store is told otherwise (§3.1 shows no other value, nor what a bucket then does: this one does everything). */
  readonly newBucket: 'active' | 'pending';
  /** Keys that are taken (§4 shows no constraint): all, or those of at most 1,024 bytes without control characters and backslashes; 400 for others. */
  readonly keys: 'all' | 'plain';
  /** The status of an upload that was stored; the spec names those of other answers (§4.7). */
  readonly uploaded: 200 | 201;
  /** The status where credentials are missing or wrong, which the spec does not show (§5). */
  readonly wrongCredentials: 401 | 403;
  /** The status where credentials may only read (§5). */
  readonly weakCredentials: 403 | 401;
  /** Requests answered in a second, at first at once; others are refused with 429. Null: all. The spec shows no rate limit (§8). */
  readonly requestsPerSecond: number | null;
  /** Bytes above which an upload is refused with 413; null: never. */
  readonly largestUpload: number | null;
}

/** The most common answers. */
export const defaultBehaviours: Behaviours = {
  range: 'honoured',
  folders: 'implicit',
  deleteFolder: 'removes',
  existingFolder: 'made',
  missingFolder: 'empty',
  headFolder: 'missing',
  folderEntries: 'hidden',
  pages: 'ordinary',
  order: 'keys',
  etag: 'md5',
  etagStyle: 'bare',
  date: 0,
  httpDates: 'fixdate',
  missingVisibility: 404,
  excessiveLimit: 'lowered',
  newBucket: 'active',
  keys: 'all',
  uploaded: 200,
  wrongCredentials: 401,
  weakCredentials: 403,
  requestsPerSecond: null,
  largestUpload: null,
};

/** The values worth testing of every switch, the default first. */
export const behaviourChoices: { readonly [Name in keyof Behaviours]: readonly Behaviours[Name][] } = {
  range: ['honoured', 'ignored', 'refused', 'short', 'crumbs'],
  folders: ['implicit', 'lasting', 'vanishing'],
  deleteFolder: ['removes', 'ignored', 'refused'],
  existingFolder: ['made', 'refused'],
  missingFolder: ['empty', 'missing'],
  headFolder: ['missing', 'found'],
  folderEntries: ['hidden', 'listed'],
  pages: ['ordinary', 'nasty'],
  order: ['keys', 'scattered'],
  etag: ['md5', 'random', 'hex'],
  etagStyle: ['bare', 'quoted', 'weak'],
  date: [0, 3600, -3600, 'missing'],
  httpDates: ['fixdate', 'rfc850', 'asctime'],
  missingVisibility: [404, 400],
  excessiveLimit: ['lowered', 'refused'],
  newBucket: ['active', 'pending'],
  keys: ['all', 'plain'],
  uploaded: [200, 201],
  wrongCredentials: [401, 403],
  weakCredentials: [403, 401],
  requestsPerSecond: [null, 20],
  largestUpload: [null, 1024 * 1024],
};
