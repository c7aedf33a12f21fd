/**
 * What does the directory show that holds all buckets, and what does it show of each of them? A bucket is opened only for what its
 * own file system has to tell: `ls -l` opens none.
 */
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { STAYING, unlessLeaving, type Waiter } from '../../base/waiter.ts';
import type { KnownBuckets } from '../../namespace/known-buckets.ts';
import type { Bucket } from '../../service/records.ts';
import { MAX_NAME_BYTES, nameOf } from '../../store/keys.ts';
import type { LocalAttributes } from '../../store/version.ts';
import {
  BUCKET_ATTRIBUTES,
  bucketAttribute,
  FOLDER_ATTRIBUTES,
  HIDDEN,
} from '../attributes/bucket-attributes.ts';
import { isUnanswered } from '../errno-of.ts';
import { FsError } from '../errors.ts';
import type {
  AttributeChange,
  Attributes,
  CreateIntent,
  DirectoryEntry,
  FileSystemOperations,
  FileSystemStatistics,
  ShownListing,
  XattrSetMode,
} from '../operations.ts';
import { FREE_BYTES } from '../pail-file-system.ts';
import type { FileSystemSettings } from '../settings.ts';
import { FOLDER_MODE, localOf, shownAttributes } from '../attributes/shown-attributes.ts';
import { unservedXattr } from '../attributes/xattr-namespaces.ts';
import type { AccountChanges } from './account-changes.ts';
import type { OpenBuckets } from './open-buckets.ts';

export interface AccountTopParts {
  readonly known: KnownBuckets;
  readonly buckets: OpenBuckets;
  readonly changes: AccountChanges;
  readonly settings: Pick<FileSystemSettings, 'uid' | 'gid' | 'umask' | 'metadataTtl'>;
  /** When the mount began, milliseconds since 1970. */
  readonly since: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The calls that are about a path alone. */
export type PathOperations = Omit<
  FileSystemOperations,
  'read' | 'write' | 'allocate' | 'flush' | 'fsync' | 'release' | 'rename' | 'link' | 'statistics'
>;

const TOP = '/';

/** Takes the paths `/` and `/bucket`. Rejects with an `FsError`, or with the refusal of the service. */
export class AccountTop implements PathOperations {
  readonly #parts: AccountTopParts;
  /** Of the top. Until the mount ends: it belongs to no bucket that could keep it. */
  #local: LocalAttributes = {};

  constructor(parts: AccountTopParts) {
    this.#parts = parts;
  }

  /** The bucket at `path`, as far as answers may be trusted. Rejects with ENOENT. */
  async bucket(path: string, waiter: Waiter = STAYING): Promise<Bucket> {
    const bucket = (await this.#parts.known.list(waiter)).get(nameOf(path));
    if (bucket === undefined) throw new FsError('ENOENT', path, 'no such bucket');
    return bucket;
  }

  async getAttributes(path: string, _handle?: undefined, waiter: Waiter = STAYING): Promise<Attributes> {
    if (path === TOP) return this.#folder(this.#local, this.#parts.settings.metadataTtl);
    try {
      return await this.#attributesOf(await this.bucket(path, waiter), waiter);
    } catch (error) {
      const waiting = isUnanswered(error) ? this.#waitingIn(nameOf(path)) : undefined;
      if (waiting === undefined) throw error;
      return { ...(await this.#attributesOf(waiting, waiter)), validFor: this.#parts.settings.metadataTtl };
    }
  }

  async *readDirectory(
    path: string,
    waiter: Waiter = STAYING,
  ): AsyncGenerator<readonly DirectoryEntry[], ShownListing | undefined> {
    if (path !== TOP) return yield* (await this.#opened(path, waiter)).readDirectory(TOP, waiter);
    const buckets = [...(await this.#parts.known.list(waiter))];
    const entry = async ([name, bucket]: [string, Bucket]): Promise<DirectoryEntry> => ({
      name,
      attributes: await this.#attributesOf(bucket, waiter),
    });
    if (buckets.length > 0) yield await Promise.all(buckets.map(entry));
    return undefined;
  }

  async open(path: string): Promise<never> {
    return this.#noFile(path);
  }

  async create(path: string, { exclusive }: CreateIntent): Promise<never> {
    const isTaken = path === TOP || (await this.#parts.known.list()).has(nameOf(path));
    if (!isTaken) throw new FsError('EPERM', path, 'beside buckets there are no files');
    if (exclusive) throw new FsError('EEXIST', path, 'the name is taken');
    return this.#noFile(path);
  }

  async truncate(path: string): Promise<never> {
    return this.#noFile(path);
  }

  async unlink(path: string): Promise<never> {
    return this.#noFile(path);
  }

  async setAttributes(path: string, change: AttributeChange): Promise<void> {
    if (path !== TOP) return (await this.#opened(path)).setAttributes(TOP, change);
    this.#local = { ...this.#local, ...localOf(change, this.#parts.clock.now()) };
  }

  async mkdir(path: string): Promise<void> {
    if (path === TOP) throw new FsError('EEXIST', path, 'it is the mountpoint');
    await this.#parts.changes.make(path, nameOf(path));
    this.#touch();
  }

  async rmdir(path: string): Promise<void> {
    if (path === TOP) throw new FsError('EBUSY', path, 'it is the mountpoint');
    await this.#parts.changes.remove(path, nameOf(path));
    this.#touch();
  }

  async getXattr(path: string, name: string, waiter: Waiter = STAYING): Promise<Uint8Array> {
    if (path === TOP) {
      if (name !== HIDDEN) throw noSuchAttribute(path, name);
      await this.#parts.known.list(waiter);
      return Buffer.from(String(this.#parts.known.hidden));
    }
    const value = bucketAttribute(await this.bucket(path, waiter), name);
    if (value !== undefined) return Buffer.from(value);
    // Programs ask for many that are not there, and no bucket is to be opened for them.
    if (name !== HIDDEN) throw noSuchAttribute(path, name);
    return (await this.#opened(path, waiter)).getXattr(TOP, name, waiter);
  }

  async setXattr(path: string, name: string, _value: Uint8Array, mode: XattrSetMode): Promise<void> {
    if (path !== TOP) await this.bucket(path);
    if (!BUCKET_ATTRIBUTES.includes(name)) throw new FsError('ENOTSUP', path, `${name} cannot be set`);
    // Else a copy drops in silence what only the mount can say.
    if (mode === 'create') throw new FsError('EEXIST', path, `${name} exists`);
  }

  async listXattrs(path: string, waiter: Waiter = STAYING): Promise<readonly string[]> {
    if (path === TOP) return FOLDER_ATTRIBUTES;
    await this.bucket(path, waiter);
    return BUCKET_ATTRIBUTES;
  }

  async removeXattr(path: string, name: string): Promise<void> {
    if (path !== TOP) await this.bucket(path);
    throw new FsError('ENOTSUP', path, `${name} cannot be removed`);
  }

  /** Of the bucket called `name`, else of all; by figures that may be old, while new ones are asked for. */
  statistics(name: string | undefined): FileSystemStatistics {
    const { known, log } = this.#parts;
    const meant = name === undefined ? undefined : known.latest.get(name);
    const buckets = meant === undefined ? [...known.latest.values()] : [meant];
    const figures = buckets.map((bucket) => this.#figures(bucket));
    if (known.freshFor() === 0) {
      known.list().catch((error: unknown) => {
        log.warn('the usage figures could not be refreshed', { cause: describeError(error) });
      });
    }
    return {
      usedBytes: figures.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
      freeBytes: FREE_BYTES,
      files: figures.reduce((sum, { files }) => sum + files, 0),
      maxNameLength: MAX_NAME_BYTES,
    };
  }

  /** The bucket called `name`, however long ago that was heard, when files wait in it: these are to be in reach while nobody answers. */
  #waitingIn(name: string): Bucket | undefined {
    const { known, buckets } = this.#parts;
    const bucket = known.latest.get(name);
    return bucket && buckets.peek(bucket)?.fileSystem.hasWaiting() ? bucket : undefined;
  }

  #figures(bucket: Bucket): Pick<FileSystemStatistics, 'usedBytes' | 'files'> {
    const open = this.#parts.buckets.peek(bucket);
    return open?.operations.statistics() ?? { usedBytes: bucket.sizeBytes, files: bucket.objectCount };
  }

  async #opened(path: string, waiter: Waiter = STAYING): Promise<FileSystemOperations> {
    const bucket = await this.bucket(path, waiter);
    return (await unlessLeaving(waiter, this.#parts.buckets.of(bucket))).operations;
  }

  async #noFile(path: string): Promise<never> {
    if (path !== TOP) await this.bucket(path);
    throw new FsError('EISDIR', path, 'it is a folder');
  }

  /** A bucket was made or removed here. */
  #touch(): void {
    const now = this.#parts.clock.now();
    this.#local = { ...this.#local, mtime: now, ctime: now };
  }

  async #attributesOf(bucket: Bucket, waiter: Waiter): Promise<Attributes> {
    const open = this.#parts.buckets.peek(bucket);
    const validFor = this.#parts.known.freshFor();
    if (open === undefined) return this.#folder({}, validFor);
    return { ...(await open.operations.getAttributes(TOP, undefined, waiter)), validFor };
  }

  #folder(local: LocalAttributes, validFor: number): Attributes {
    const { settings, since } = this.#parts;
    const shown = shownAttributes(local, settings, { mode: FOLDER_MODE, modified: since });
    return { kind: 'folder', identity: 0, size: 0, links: 1, ...shown, validFor };
  }
}

function noSuchAttribute(path: string, name: string): FsError {
  return new FsError(unservedXattr(name), path, `no such attribute: ${name}`);
}
