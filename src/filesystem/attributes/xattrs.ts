/**
 * What do the extended attributes of a file tell and take?
 *
 * Listing the names costs no request and reading a value may: `ls` and `cp` ask for names, and must not turn into one request
 * a file. Names of other namespaces are answered from memory: the kernel asks for security.capability before every write.
 */
import { STAYING, unlessLeaving, type Waiter } from '../../base/waiter.ts';
import type { CallOptions } from '../../service/object-service.ts';
import type { VisibilityRecord } from '../../service/records.ts';
import { keyOfPath } from '../../store/keys.ts';
import type { Version } from '../../store/version.ts';
import { BUCKET_ATTRIBUTES, bucketAttribute, FOLDER_ATTRIBUTES, HIDDEN } from './bucket-attributes.ts';
import { standingVersion, visibilityToKeep } from './carried-visibility.ts';
import { contentTypeFor, contentTypeOf, wishForTypeOfName } from './content-type.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import { OpenFile } from '../open-file.ts';
import type { Opening } from '../opening.ts';
import type { XattrSetMode } from '../operations.ts';
import type { Uploading } from '../write/uploading.ts';
import type { Usage } from '../usage.ts';
import { VisibilityChanges, type VisibilityParts } from './visibility-changes.ts';
import { VisibilityRecords } from './visibility-records.ts';
import type { Writing } from '../write/writing.ts';
import { reasonOf } from '../errno-of.ts';

const VISIBILITY = 'user.pailfs.visibility';
const MIME_TYPE = 'user.mime_type';
const LINK = 'user.pailfs.link';

const FILE_NAMES = [
  VISIBILITY,
  'user.pailfs.url',
  'user.pailfs.share_url',
  'user.pailfs.share_expires_at',
  'user.pailfs.etag',
  'user.pailfs.key',
  'user.pailfs.state',
  'user.pailfs.error',
  MIME_TYPE,
] as const;

/** `type/subtype`, with parameters; nothing that could end a header line, or that none can carry. */
const MIME_PATTERN = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:[\t ]*;[\t -~]*)?$/;

/** Its two names may have 127 characters each (RFC 6838); a header that is much longer HTTP clients and servers refuse, and with it the file. */
const LONGEST_MIME_TYPE = 1000;

export interface XattrParts extends VisibilityParts {
  readonly opening: Opening;
  readonly writing: Writing;
  readonly uploading: Uploading;
  readonly usage: Usage;
}

/** Rejects with an `FsError` (design: extended attributes), or with the refusal of the service. */
export class Xattrs {
  readonly #mount: MountState;
  readonly #parts: XattrParts;
  readonly #records: VisibilityRecords;
  readonly #visibility: VisibilityChanges;

  constructor(mount: MountState, parts: XattrParts) {
    this.#mount = mount;
    this.#parts = parts;
    this.#records = new VisibilityRecords(mount.clock);
    this.#visibility = new VisibilityChanges(mount, parts, this.#records);
  }

  async list(path: string, waiter?: Waiter): Promise<readonly string[]> {
    if (this.#mount.table.dirty(path) !== undefined) return FILE_NAMES;
    // What is known will do, however old: programs ask for the names of every file that they copy.
    const known = this.#mount.namespace.known.recall(path);
    const entry =
      known === undefined || known.kind === 'missing'
        ? await this.#parts.inspecting.entry(path, waiter)
        : known;
    if (entry.kind === 'file') return FILE_NAMES;
    return path === '/' ? BUCKET_ATTRIBUTES : FOLDER_ATTRIBUTES;
  }

  async get(path: string, name: string, waiter: Waiter = STAYING): Promise<Uint8Array> {
    const draft = this.#mount.table.dirty(path);
    if (draft !== undefined) return Buffer.from(await this.#ofDraft(draft, name, waiter));
    const entry = await this.#parts.inspecting.entry(path, waiter);
    if (entry.kind === 'folder') return Buffer.from(await this.#ofFolder(path, name, waiter));
    return Buffer.from(await this.#ofFile(path, entry.version, name, waiter));
  }

  async set(path: string, name: string, value: Uint8Array, mode: XattrSetMode): Promise<void> {
    const isFile =
      this.#mount.table.dirty(path) !== undefined ||
      (await this.#parts.inspecting.entry(path)).kind === 'file';
    const names: readonly string[] = isFile ? FILE_NAMES : BUCKET_ATTRIBUTES;
    if (!names.includes(name)) throw new FsError('ENOTSUP', path, `${name} cannot be set`);
    if (mode === 'create') throw new FsError('EEXIST', path, `${name} exists`);
    // tar says a line for each that it cannot set, of every file: a copy drops what only the mount can say.
    if (name !== VISIBILITY && name !== MIME_TYPE) return;
    const text = Buffer.from(value).toString('utf8');
    if (name === MIME_TYPE) {
      if (text.length > LONGEST_MIME_TYPE || !MIME_PATTERN.test(text))
        throw new FsError('EINVAL', path, `${MIME_TYPE} must look like text/plain`);
      return this.#setMimeType(path, text);
    }
    if (text !== 'public' && text !== 'private') {
      throw new FsError('EINVAL', path, `${VISIBILITY} is either public or private`);
    }
    await this.#visibility.set(path, text);
    this.#parts.inspecting.setElsewhere(path);
  }

  async remove(path: string, name: string): Promise<void> {
    const names = await this.list(path);
    // rsync -X removes what the original does not have: of a type that leaves what the name says, as of any new file.
    if (name === MIME_TYPE && names.includes(name)) return this.#setMimeType(path, null);
    throw new FsError('ENOTSUP', path, `${name} cannot be removed`);
  }

  async #ofDraft(file: OpenFile, name: string, waiter: Waiter): Promise<string> {
    switch (name) {
      case VISIBILITY:
        return this.#visibilityOfDraft(file, waiter);
      case MIME_TYPE:
        return contentTypeFor(file);
      case 'user.pailfs.key':
        return keyOfPath(file.path);
      case 'user.pailfs.state':
        return file.state;
      case 'user.pailfs.error':
        return this.#errorOf(file);
      case 'user.pailfs.url':
      case 'user.pailfs.share_url':
      case 'user.pailfs.share_expires_at':
      case 'user.pailfs.etag':
        // These bytes have no link and no ETag before they are stored.
        return '';
      default:
        throw this.#noSuch(file.path, name);
    }
  }

  /** What the file's will be after its upload. */
  async #visibilityOfDraft(file: OpenFile, waiter: Waiter): Promise<string> {
    const kept = visibilityToKeep(this.#mount, file, file.wishes.visibility);
    if (kept !== undefined) return kept;
    const standing = standingVersion(this.#mount, file);
    return standing === null ? 'private' : (await this.#record(file.path, standing, waiter)).visibility;
  }

  async #ofFolder(path: string, name: string, waiter: Waiter): Promise<string> {
    const ofBucket = path === '/' ? bucketAttribute(this.#parts.usage.latest(), name) : undefined;
    if (ofBucket !== undefined) return ofBucket;
    if (name !== HIDDEN) throw this.#noSuch(path, name);
    return String((await this.#mount.namespace.list(path, waiter)).hidden);
  }

  async #ofFile(path: string, version: Version, name: string, waiter: Waiter): Promise<string> {
    switch (name) {
      case VISIBILITY:
        return (await this.#record(path, version, waiter)).visibility;
      case 'user.pailfs.url':
        return (await this.#record(path, version, waiter)).url ?? '';
      case 'user.pailfs.share_url':
        return (await this.#record(path, version, waiter)).shareUrl ?? '';
      case 'user.pailfs.share_expires_at':
        return (await this.#record(path, version, waiter)).shareExpiresAt?.toISOString() ?? '';
      case LINK:
        return (await askFor(waiter, (options) => this.#mount.store.link(keyOfPath(path), options))).url;
      case MIME_TYPE:
        return (
          (await this.#asTold(path, version, waiter, () => version.contentType !== undefined)).contentType ??
          ''
        );
      case 'user.pailfs.etag':
        return (await this.#asTold(path, version, waiter, () => version.etag !== null)).etag ?? '';
      case 'user.pailfs.key':
        return keyOfPath(path);
      case 'user.pailfs.state':
        return this.#stateOf(path, version);
      case 'user.pailfs.error':
        return this.#errorOf(this.#mount.table.get(path) ?? new OpenFile(path, version));
      default:
        throw this.#noSuch(path, name);
    }
  }

  #stateOf(path: string, version: Version): string {
    const file = this.#mount.table.get(path) ?? new OpenFile(path, version);
    // Newer bytes were set aside after their close, which had promised to store them.
    return file.state === 'clean' && this.#parts.uploading.failureOf(file) !== undefined
      ? 'failed'
      : file.state;
  }

  #errorOf(file: OpenFile): string {
    const failure = this.#parts.uploading.failureOf(file);
    return failure === undefined ? '' : reasonOf(failure);
  }

  async #record(path: string, version: Version, waiter: Waiter): Promise<VisibilityRecord> {
    const { namespace, clock, store } = this.#mount;
    const known = this.#records.recall(version, (at) => namespace.known.isFresh(path, at));
    if (known !== undefined) return known;
    const at = clock.monotonic();
    const record = await askFor(waiter, (options) => store.visibility(keyOfPath(path), options));
    this.#records.remember(version, record, at);
    return record;
  }

  /** The version once the service has told what `isTold` wants to know: a listing tells neither type nor our own ETag. */
  async #asTold(path: string, version: Version, waiter: Waiter, isTold: () => boolean): Promise<Version> {
    if (isTold()) return version;
    const { namespace, store, clock } = this.#mount;
    const question = namespace.known.ask();
    const askedAt = clock.monotonic();
    try {
      const head = await askFor(waiter, (options) => store.head(keyOfPath(path), options));
      const entry = namespace.known.learn(path, question, askedAt, head);
      return entry?.kind === 'file' ? entry.version : version;
    } finally {
      namespace.known.forgetQuestion(question);
    }
  }

  /** The service takes a type only with the bytes, so they are stored again. Null: the type that the name says. */
  async #setMimeType(path: string, type: string | null): Promise<void> {
    // File managers set the type of each file that they have copied: the one that it has.
    if (await this.#isStoredAs(path, type ?? contentTypeOf(path))) return;
    const handle = await this.#parts.opening.open(path, { read: true, write: true, truncate: false });
    const { file } = handle;
    try {
      await this.#parts.writing.change(file, async () => {
        await this.#parts.writing.changeable(file, Infinity);
        // Its bytes are as old as they were, though they are stored again.
        const mtime = file.version?.lastModified.getTime();
        const local = file.dirty ? file.wishes.local : { mtime, ...file.version?.local };
        file.wishes.local = { ...local, ctime: this.#mount.clock.now() };
        file.wishes.contentType = type ?? wishForTypeOfName(file);
        file.dirty = true;
        await this.#mount.kept.redescribe(file);
        await this.#parts.shelf.redescribed(file);
      });
      // A file that somebody is writing takes the type along at its close.
      if (file.handles.size === 1) await this.#parts.uploading.keep(file);
    } finally {
      await this.#parts.opening.release(handle);
    }
  }

  async #isStoredAs(path: string, type: string): Promise<boolean> {
    if (this.#mount.table.dirty(path) !== undefined) return false;
    const entry = await this.#parts.inspecting.entry(path);
    if (entry.kind !== 'file') return false;
    const { version } = entry;
    return (
      (await this.#asTold(path, version, STAYING, () => version.contentType !== undefined)).contentType ===
      type
    );
  }

  #noSuch(path: string, name: string): FsError {
    return new FsError('ENODATA', path, `no such attribute: ${name}`);
  }
}

/** One request that nobody else waits for. */
function askFor<Answer>(waiter: Waiter, ask: (options: CallOptions) => Promise<Answer>): Promise<Answer> {
  return unlessLeaving(waiter, ask({ signal: waiter.signal }));
}
