/** Where do a handle's bytes come from: the draft while there is one, else the version that the service has. */
import type { ReadInto } from '../../base/read-into.ts';
import { STAYING, unlessLeaving, type Waiter } from '../../base/waiter.ts';
import type { VersionReader } from '../../content/reader.ts';
import { isRefusal } from '../../service/refusal.ts';
import { keyOfPath } from '../../store/keys.ts';
import { isOnlyOfOtherEtag } from '../../store/other-etag.ts';
import { VersionChanged } from '../../store/range-reader.ts';
import type { Version } from '../../store/version.ts';
import { FsError } from '../errors.ts';
import type { MountState } from '../mount-state.ts';
import type { Handle, OpenFile } from '../open-file.ts';

/** Rejects with an `FsError` (ESTALE when the version is gone), with a refusal, or with the local disk's error. */
export class Reading {
  readonly #mount: MountState;

  constructor(mount: MountState) {
    this.#mount = mount;
  }

  async read(handle: Handle, into: ReadInto, position: number, waiter?: Waiter): Promise<number> {
    const { file } = handle;
    if (!handle.canRead) throw new FsError('EBADF', file.path, 'not open for reading');
    for (;;) {
      const { draft, version } = file;
      if (draft !== null) return draft.read(into.subarray(0, into.length), position);
      if (version === null || position >= version.size) return 0;
      try {
        const reader = this.readerOf(file, version);
        return await this.whileCurrent(file, reader.read(into, position, handle.stream, waiter));
      } catch (error) {
        // When it was a program of ours that replaced the version meanwhile, the handle goes on with the new one; another read may have begun
        // to, and ended what this one waited for.
        if (error instanceof FsError && file.version === version)
          await unlessLeaving(waiter ?? STAYING, this.#mount.table.endOfMove(file) ?? Promise.resolve());
        const isOurs = file.draft !== null || file.version !== version;
        if (isOurs && (error instanceof FsError || isRefusal(error, 'aborted'))) continue;
        if (!(await this.isNamedNow(file, version, error))) throw error;
      }
    }
  }

  /** Whether the version that `error` says is gone is there after all: where ETags are no MD5, only its bytes tell that of an upload of ours. */
  async isNamedNow(file: OpenFile, version: Version, error: unknown): Promise<boolean> {
    const isGone = error instanceof FsError && error.cause instanceof VersionChanged;
    if (!isGone || version.etag !== null || file.detached) return false;
    const there = await this.#mount.namespace.confirmFile(file.path, [version]);
    // A listing may have made another of what it did not know again.
    return there?.kind === 'file' && version.isSame(there.version);
  }

  /** The reader of the file's stored version. */
  readerOf(file: OpenFile, version: Version): VersionReader {
    if (file.reader?.version === version) return file.reader.source;
    this.letGo(file);
    const source = this.#mount.content.acquireReader(keyOfPath(file.path), version);
    file.reader = { version, source };
    return source;
  }

  letGo(file: OpenFile): void {
    if (file.reader === null) return;
    this.#mount.content.releaseReader(file.reader.version);
    file.reader = null;
  }

  /** Passes on what `reading` brings. When it finds the version gone the name is told, and the program gets ESTALE. */
  async whileCurrent<Result>(file: OpenFile, reading: Promise<Result>): Promise<Result> {
    try {
      return await reading;
    } catch (error) {
      if (!isRefusal(error, 'missing') && !(error instanceof VersionChanged)) throw error;
      // What exactly is there now the next look tells: this answer may have left before a change of our own.
      if (!file.detached) this.#mount.namespace.known.doubt(file.path);
      const reason =
        error instanceof VersionChanged ? reasonOf(error, file.version) : 'was deleted while it was open';
      throw new FsError('ESTALE', file.path, `the file ${reason}`, { cause: error });
    }
  }
}

function reasonOf({ found }: VersionChanged, version: Version | null): string {
  if (version?.etag == null || !isOnlyOfOtherEtag(found, version)) return 'was replaced while it was open';
  return 'has another ETag where its bytes come from, of the same size and time: it was replaced within that second, or answers do not agree';
}
