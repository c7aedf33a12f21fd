/**
 * Is this still the same file content?
 *
 * A `Version` is one content of one key: what an ETag names. Everything that belongs to content (cached bytes, local mode and
 * mtime, known visibility) hangs on the object's identity. The difficulty is our own uploads: the answer to a PUT carries no
 * ETag (§4.7), so our newest version has no name until a listing or HEAD tells it (design: "our version has no name yet").
 */
import type { TimeSpan, Visibility } from '../service/records.ts';
import { MD5_PATTERN, type EtagKind } from './etag-kind.ts';

/** What a listing, a HEAD or the headers of a GET tell about the content of a key. */
export interface VersionFacts {
  readonly size: number;
  readonly etag: string;
  readonly lastModified: Date;
  readonly contentType?: string | null;
}

/** What we know of an upload of ours whose ETag nobody told us yet. */
export interface OwnUpload {
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly md5: string;
  /** On the service's clock; null when it sends no Date. */
  readonly storedWithin: TimeSpan | null;
  readonly contentType: string;
}

/** Attributes that the service has no place for. Times in milliseconds since 1970. */
export interface LocalAttributes {
  readonly mode?: number | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly atime?: number | undefined;
  readonly mtime?: number | undefined;
  readonly ctime?: number | undefined;
}

/** Last-Modified has second precision (§2.3) and clocks within a service differ a little. Milliseconds. */
const CLOCK_SLACK = 2000;

/** Of a version that nobody has set anything of. */
const NOTHING_SET: LocalAttributes = {};

let numbers = 0;

function nextNumber(): number {
  numbers += 1;
  return numbers;
}

/** A number for one file's content and what is written over it here. No other in this process has it. */
export function newLineage(): number {
  return nextNumber();
}

/** One content of one key. Compared by `matches` and `isSame`, never by its fields. */
export class Version {
  /** Bytes. */
  readonly size: number;
  /** The upload of ours that made it, while or after its ETag was unknown; without its time once the service has named it. */
  own: OwnUpload | null;
  /** Unique in this process: the key under which bytes are cached. */
  id: number;
  /**
   * Shared by contents that follow each other only through writes made here: whoever was given the bytes, and what was written
   * since, has the file as it is. A version told by the service begins one; it ends where bytes turn out not to be known.
   */
  lineage: number;
  /** The lineage before it was guessed which version of the service's this is: the same file to programs, whose bytes are not known. */
  follows: number | undefined;
  /** Null until the service has named our upload. */
  etag: string | null;
  /** Milliseconds since 1970: a date takes seven times as much, and there are many thousand versions. */
  #modified: number;
  /** Undefined: never told (listings do not carry it). Null: the service sent none. */
  contentType: string | null | undefined;
  /** With the moment (monotonic milliseconds) at which the answer's request left. */
  visibility: { readonly value: Visibility; readonly at: number } | undefined;

  /** Monotonic milliseconds at which this mount created the file, as long as nobody set its visibility. */
  madeHereAt: number | null = null;
  /** What chmod, chown and utimes set (design: kept locally per file version). */
  local: LocalAttributes = NOTHING_SET;

  #etags: Pick<EtagKind, 'learn'> | undefined;

  private constructor(
    size: number,
    own: OwnUpload | null,
    { etag, lastModified }: { readonly etag: string | null; readonly lastModified: Date },
    number = nextNumber(),
  ) {
    this.id = number;
    this.lineage = number;
    this.size = size;
    this.own = own;
    this.etag = etag;
    this.#modified = lastModified.getTime();
  }

  static told(facts: VersionFacts): Version {
    const version = new Version(facts.size, null, facts);
    version.contentType = facts.contentType;
    return version;
  }

  /** One that `isPlain`, once more. `number`: its `id`. */
  static toldBefore(facts: VersionFacts, number: number): Version {
    return new Version(facts.size, null, facts, number);
  }

  /** `etags`: learns from the ETag that the service tells of it. */
  static uploaded(own: OwnUpload, lastModified: Date, etags?: Pick<EtagKind, 'learn'>): Version {
    const version = new Version(own.size, own, { etag: null, lastModified });
    version.#etags = etags;
    version.contentType = own.contentType;
    return version;
  }

  /** When the service, or we, stored it. */
  get lastModified(): Date {
    return new Date(this.#modified);
  }

  /** Whether a listing told all that there is of it. */
  get isPlain(): boolean {
    const { own, etag, contentType, visibility, madeHereAt, local, id, lineage } = this;
    const isUntouched = own === null && madeHereAt === null && local === NOTHING_SET && id === lineage;
    return isUntouched && etag !== null && contentType === undefined && visibility === undefined;
  }

  /** MD5 of the content in lower-case hexadecimal, as far as anything told it. */
  get md5(): string | null {
    if (this.own !== null) return this.own.md5;
    return this.etag !== null && MD5_PATTERN.test(this.etag) ? this.etag : null;
  }

  /**
   * Whether the facts are about this content; what they tell is then kept. An upload of ours without a name takes the ETag
   * when it is the MD5 of our bytes. When the ETag is no MD5 it proves nothing of the bytes: the version is taken for ours
   * by size and time, keeps its local attributes, and gets a new `id` and `lineage` so that bytes cached so far are not served
   * as its.
   */
  matches(facts: VersionFacts): boolean {
    if (facts.size !== this.size) return false;
    if (this.etag === null) this.#guessName(facts);
    if (this.etag !== facts.etag) return false;
    this.#modified = facts.lastModified.getTime();
    if (facts.contentType !== undefined) this.contentType = facts.contentType;
    return true;
  }

  /** Whether `other` is about this content too; it was told by the service. May name this version, as `matches`. */
  isSame(other: Version): boolean {
    const { size, etag, lastModified } = other;
    return other === this || (etag !== null && this.matches({ size, etag, lastModified }));
  }

  /** Whether the facts are of a content that was there before this one, by the service's own times. May name this version, as `matches`. */
  replaced(facts: VersionFacts): boolean {
    if (this.matches(facts)) return false;
    const storedFrom =
      this.etag === null
        ? (this.own?.storedWithin?.from ?? Number.NEGATIVE_INFINITY) - CLOCK_SLACK
        : this.#modified;
    return facts.lastModified.getTime() < storedFrom;
  }

  /** Whether `other` is a try to store the same, too, and the service has told of neither. */
  isTriedAs(other: Version): boolean {
    const [one, two] = [this.own, other.own];
    if (one === null || two === null || this.etag !== null || other.etag !== null) return false;
    if (one.storedWithin !== null || two.storedWithin !== null) return false;
    return one.md5 === two.md5 && one.size === two.size && one.contentType === two.contentType;
  }

  /** Whether only the bytes can tell if the facts are about our unnamed upload. */
  mayBe(facts: VersionFacts, etags: Pick<EtagKind, 'isProof'>): boolean {
    if (this.etag !== null || this.own === null) return false;
    return facts.size === this.size && !etags.isProof(facts.etag, this.#isOfItsTime(facts));
  }

  /** The facts are about our unnamed upload: its bytes were looked at. */
  takeName(facts: VersionFacts): void {
    this.#takeEtag(facts.etag);
    this.matches(facts);
  }

  #guessName(facts: VersionFacts): void {
    if (this.own?.md5 === facts.etag.toLowerCase()) {
      this.#takeEtag(facts.etag);
      this.#etags?.learn(this.own.md5, facts.etag);
      // An MD5 that is not the MD5 of our bytes is no name of them, whatever the clock says.
    } else if (!MD5_PATTERN.test(facts.etag.toLowerCase()) && this.#isOfItsTime(facts)) {
      this.#takeEtag(facts.etag);
      this.id = nextNumber();
      this.follows = this.lineage;
      this.lineage = newLineage();
    }
  }

  /** Nobody asks any more when it was stored: what tells that is a quarter of the memory that each of many thousand uploads takes. */
  #takeEtag(etag: string): void {
    // The very text, where it is the same.
    this.etag = etag === this.own?.md5 ? this.own.md5 : etag;
    if (this.own?.storedWithin != null) this.own = { ...this.own, storedWithin: null };
  }

  /** Whether what the facts are about was stored while our upload was. */
  #isOfItsTime(facts: VersionFacts): boolean {
    const span = this.own?.storedWithin ?? null;
    if (span === null) return false;
    const modified = facts.lastModified.getTime();
    return modified >= span.from - CLOCK_SLACK && modified <= span.to + CLOCK_SLACK;
  }
}
