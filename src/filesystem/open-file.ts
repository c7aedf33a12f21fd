/**
 * What is one file that somebody has open, or whose bytes the service does not have yet?
 *
 * Handles are on the file, not on a version: while a draft exists all of them read the draft, and after its upload they go on
 * with the new version. The states of the design's table are combinations of the fields below; `state` names them.
 */
import type { Draft } from '../content/draft.ts';
import type { DraftRecord } from '../content/journal/records.ts';
import type { ReadStream } from '../content/read-stream.ts';
import type { VersionReader } from '../content/reader.ts';
import type { Visibility } from '../service/records.ts';
import { newLineage, type LocalAttributes, type Version } from '../store/version.ts';
import { changedLocal } from './attributes/shown-attributes.ts';
import type { FileHandle } from './operations.ts';
import type { ScratchKind } from './shelf/scratch-names.ts';
import { UploadDoubts } from './upload-doubts.ts';
import type { StoppableUpload } from './write/stoppable-upload.ts';
import { WriteGate } from './write/write-gate.ts';

/** Of the attributes those that tell something of the bytes. */
const TIMES: ReadonlySet<string> = new Set<keyof LocalAttributes>(['atime', 'mtime', 'ctime']);

/** What the upload of a draft shall do besides storing its bytes. */
export interface Wishes {
  /** Whether the draft was made from what is stored (an edit in place) or replaces it whole. Only an edit can conflict. */
  basis: 'edit' | 'rewrite';
  /** Set by user.mime_type; null: guessed from the name. */
  contentType: string | null;
  /** Set by user.pailfs.visibility: applied after the upload; null: as it was. */
  visibility: Visibility | null;
  /** Attributes that programs see of the draft. */
  local: LocalAttributes;
}

/** What a close has promised to store (`--write-back`): a draft whose bytes do not change any more. */
export interface Sealed {
  readonly draft: Draft;
  /** What went up when this took its place, and of whose bytes it was made; null: of none that the service may still get. */
  readonly over: Draft | null;
  /** The very ones of the file, until a program begins to write something newer. */
  readonly wishes: Wishes;
}

/** A scratch file on the shelf. */
export interface Shelved {
  readonly kind: ScratchKind;
  /** With which it was created. */
  readonly mode: number;
}

export class OpenFile {
  readonly gate = new WriteGate();
  readonly handles = new Set<Handle>();
  /** What the service may have of it though `version` does not say so. */
  readonly doubts = new UploadDoubts();

  /** Of what programs have read and written of it (operations.ts). */
  identity: number;
  /** Changes with a rename. Of a detached file: where it was last. */
  path: string;
  /** What the service has, as far as this file is concerned; null while it has nothing. */
  version: Version | null;
  /** Made here and never stored: a rename may have made `version` what its upload will replace. */
  isNew: boolean;
  /** Local bytes. After an upload they stay, clean, until the last handle closes. */
  draft: Draft | null = null;
  /** The draft being filled with the base version, so that two first writers do it once. */
  drafting: Promise<Draft> | null = null;
  /** The content that waits for its upload. Its draft is `draft` until somebody writes; then `draft` is a new one. */
  sealed: Sealed | null = null;
  /** Whether `draft` holds what `sealed` holds, and more; not what was written anew from empty. */
  isOverSealed = false;
  /** Reads `reader.version`; let go when the last handle closes, or when another version takes its place. */
  reader: { readonly version: Version; readonly source: VersionReader } | null = null;
  /** Whether the draft holds bytes, or a Content-Type, that the service has not. */
  dirty = false;
  /** What the upload of `draft` shall do. */
  wishes: Wishes = { basis: 'rewrite', contentType: null, visibility: null, local: {} };
  /** Whether who writes to it now came after those that made what is here: what they add is an edit of that, also where that is nothing. */
  isTakenUp = false;
  /** Whether anything was written since the draft was emptied over an existing object. */
  written = false;
  /** Whether a flush has already passed over that emptied draft. */
  passedOver = false;
  /** What takes its name away is under way. Who opens it meanwhile comes before that. */
  isEnding = false;
  /** The name is gone, or another file's; nothing is uploaded any more. */
  detached = false;
  /** The draft whose upload is under way. */
  goingUp: Draft | null = null;
  /** Who holds the claim of its path to store it, and gives way to others; null: nobody does. */
  storing: StoppableUpload | null = null;
  /** Whoever stored it was stopped for others, and goes on after them. */
  isStopped = false;
  /** The stored version should be public and could not be made so yet. */
  publishPending = false;
  /** What the journal has of that: which versions, of which any may be stored, are to be public. */
  owedLinks: readonly DraftRecord[] = [];
  /** A rename over this file has failed, and left that under its name; the original is at its old name. */
  leftCopy: Version | null = null;
  /** An earlier mount left it: nobody has looked since what the service has of it. */
  isLeftBehind = false;
  /** Set while it is a scratch file that stays here (shelf.ts). */
  shelf: Shelved | null = null;
  /** Of which a close or an fsync has said that it stays here as a scratch file, whatever name that has by now. */
  closedHere: Draft | null = null;
  /** Why the last upload failed, and of which bytes it was; none of this process when `draft` is null. */
  failure: { readonly error: unknown; readonly draft: Draft | null; readonly revision: number } | null = null;

  constructor(path: string, version: Version | null) {
    this.path = path;
    this.version = version;
    this.isNew = version === null;
    this.identity = version?.lineage ?? newLineage();
  }

  get state(): 'clean' | 'dirty' | 'uploading' | 'failed' {
    if (this.uploading) return 'uploading';
    if (this.dirty || this.publishPending) return this.failure === null ? 'dirty' : 'failed';
    return 'clean';
  }

  get uploading(): boolean {
    return this.goingUp !== null;
  }

  /** What of it the service may have that is ours, or that it was made from. */
  get possibleVersions(): readonly Version[] {
    const { versions } = this.doubts;
    return this.version === null ? versions : [...versions, this.version];
  }

  get endUnknown(): boolean {
    return this.doubts.versions.length > 0;
  }

  /** Whether the service has nothing of it. */
  get isUnsent(): boolean {
    return this.version === null && !this.endUnknown;
  }

  get size(): number {
    return this.draft?.size ?? this.version?.size ?? 0;
  }

  /** What the upload of `draft`, which is one of this file, shall do, as it is now. */
  wishesOf(draft: Draft): Readonly<Wishes> {
    const { sealed, wishes } = this;
    return { ...(sealed?.draft === draft ? sealed.wishes : wishes) };
  }

  /** Of all drafts of this file: one that is written and one that is promised before it may have wishes of their own. */
  get allWishes(): ReadonlySet<Wishes> {
    return new Set(this.sealed === null ? [this.wishes] : [this.wishes, this.sealed.wishes]);
  }

  /** Its draft is promised. */
  seal(draft: Draft, over: Draft | null = null): void {
    this.sealed = { draft, over, wishes: this.wishes };
  }

  /** A program writes `draft` from now on, which is newer than what is promised: what it wishes is not that one's. */
  writeOver(draft: Draft): void {
    this.wishes = { ...this.wishes };
    this.draft = draft;
  }

  /**
   * A program has set `local`. Mode and owner are also those of what waits for its upload, which is the file until something newer is whole.
   * Times are those of the bytes that it writes: `cp -u` and rsync take others that have them for the same.
   */
  setLocal(local: LocalAttributes): void {
    const modified = this.version?.lastModified.getTime();
    for (const wishes of this.allWishes) {
      const isNewest = wishes === this.wishes;
      wishes.local = isNewest
        ? changedLocal(wishes.local, local, modified)
        : { ...wishes.local, ...apartFromTimes(local) };
    }
  }

  /** `version` holds what programs have read and written of this file. */
  take(version: Version): void {
    this.version = version;
    this.isNew = false;
    this.leftCopy = null;
    this.closedHere = null;
    version.lineage = this.identity;
  }

  /** The service has named the version by its time alone (version.ts): what the kernel was given of it may be of other bytes than it has. */
  forgetGuessed(): void {
    if (this.draft === null && this.version !== null) this.identity = this.version.lineage;
  }

  /** Whether what is stored of `size` bytes is what programs now add to. Who has made it empty goes on to write it anew. */
  isAddedTo(size: number): boolean {
    return size > 0 || this.isTakenUp;
  }

  /** The service has what `draft`, which a close had promised, holds: what is newer here, and was made of it, is an edit of that. */
  stored(draft: Draft): void {
    const { sealed, isOverSealed } = this;
    if (sealed?.draft === draft) {
      this.sealed = null;
      this.isOverSealed = false;
      if (isOverSealed && this.isAddedTo(draft.size)) this.wishes.basis = 'edit';
    } else if (sealed?.over === draft) {
      sealed.wishes.basis = 'edit';
      if (isOverSealed) this.wishes.basis = 'edit';
    }
  }

  /** The file is as visible now as somebody wished: what is newer here need not see to it again, whatever others make of it until then. */
  granted(visibility: Visibility): void {
    for (const wishes of this.allWishes) if (wishes.visibility === visibility) wishes.visibility = null;
  }

  /** What was tried, and what else its upload was to do, was about another name, or another version. */
  forgetUploads(): void {
    this.failure = null;
    this.doubts.settle();
    this.leftCopy = null;
    this.wishes.visibility = null;
    this.publishPending = false;
  }

  /** What programs have written is not to be found here any more. */
  loseWrites(): void {
    this.identity = newLineage();
    if (this.version !== null) this.version.lineage = this.identity;
  }

  /** Monotonic milliseconds at which it was first stored here, `now` when it never was; null: it is older, or its visibility was set. */
  madeHereAt(now: number): number | null {
    if (this.wishes.visibility !== null) return null;
    return this.isNew ? now : (this.version?.madeHereAt ?? null);
  }

  /** Whether an upload of just what `draft` holds has failed. */
  hasTried(draft: Draft): boolean {
    return this.failure?.draft === draft && this.failure.revision === draft.revision;
  }

  /** The draft that a program is writing, which it has neither closed nor synced; null: what is here is whole. */
  get halfWritten(): Draft | null {
    const { draft, sealed, dirty } = this;
    if (draft === null || !dirty || sealed?.draft === draft) return null;
    return this.hasWriters() && !this.hasTried(draft) ? draft : null;
  }

  /** Whether there is something half written that is not on its way. */
  get isBeingWritten(): boolean {
    return this.halfWritten !== null && this.goingUp !== this.halfWritten;
  }

  /**
   * Whether what is half written would replace a whole file. An edit in place holds that file's bytes, too, and where nothing was promised
   * or stored any bytes are more than none.
   */
  get isHalf(): boolean {
    if (!this.isBeingWritten) return false;
    if (this.version === null && this.sealed === null) return false;
    return this.wishes.basis === 'rewrite' && !this.isOverSealed;
  }

  /** Besides `one`. */
  hasWriters(one?: Handle): boolean {
    for (const handle of this.handles) if (handle.canWrite && handle !== one) return true;
    return false;
  }
}

/** What of `local` tells nothing of the bytes. */
export function apartFromTimes(local: LocalAttributes): LocalAttributes {
  return Object.fromEntries(Object.entries(local).filter(([name]) => !TIMES.has(name)));
}

/** One open file description. */
export class Handle implements FileHandle {
  readonly file: OpenFile;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly stream: ReadStream;

  constructor(file: OpenFile, canRead: boolean, canWrite: boolean, stream: ReadStream) {
    this.file = file;
    this.canRead = canRead;
    this.canWrite = canWrite;
    this.stream = stream;
  }

  get path(): string {
    return this.file.path;
  }

  get identity(): number {
    return this.file.identity;
  }
}
