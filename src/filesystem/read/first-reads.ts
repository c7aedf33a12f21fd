/**
 * How does the first GET of a small file tell that the version is still there? Its headers do, as a HEAD's would: a file that nobody
 * has looked at for longer than the TTL is opened and read with one request.
 */
import { describeError } from '../../base/errors.ts';
import { isRefusal } from '../../service/refusal.ts';
import { VersionChanged } from '../../store/range-reader.ts';
import { keyOfPath } from '../../store/keys.ts';
import type { Version } from '../../store/version.ts';
import type { VersionReader } from '../../content/reader.ts';
import { FIRST_WINDOW } from '../../content/read-plan.ts';
import { unlessLeaving, type Waiter } from '../../base/waiter.ts';
import { isDoubtful } from '../../namespace/entries.ts';
import type { MountState } from '../mount-state.ts';

/** Whether one GET brings the file, and brings anything. */
export function isSmall({ size }: Pick<Version, 'size'>): boolean {
  return size > 0 && size <= FIRST_WINDOW;
}

/** What is known to be at `path`, and who reads it. */
interface StoredFile {
  readonly path: string;
  readonly version: Version;
  readonly reader: VersionReader;
}

/** The first GETs of a mount's files. */
export class FirstReads {
  readonly #mount: MountState;

  constructor(mount: MountState) {
    this.#mount = mount;
  }

  /**
   * Before a program opens `path` to read it: when what is known of a small file is too old to be trusted, and its bytes are not here,
   * fetches it. Call what it returns when the file is opened; until then the bytes are kept. Rejects with `Interrupted`, and with a
   * refusal that says nothing of the version: to ask again with a HEAD would be to wait twice.
   */
  async confirm(path: string, waiter: Waiter = {}): Promise<() => void> {
    const { known } = this.#mount.namespace;
    const entry = known.recall(path);
    // What is known to be wrong a GET would only find wrong again.
    if (
      entry?.kind !== 'file' ||
      isDoubtful(entry) ||
      !isSmall(entry.version) ||
      known.isFresh(path, entry.confirmedAt)
    ) {
      return () => undefined;
    }
    const { content } = this.#mount;
    const { version } = entry;
    const reader = content.acquireReader(keyOfPath(path), version);
    const release = (): void => {
      content.releaseReader(version);
    };
    try {
      await unlessLeaving(waiter, this.#ask({ path, version, reader }, waiter));
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Fetches a small file whose bytes are neither here nor on their way, for a program that may come; settles at the headers of the
   * answer. Never rejects: what failed (false) is asked for again by the read that wants it.
   */
  async fetch(file: StoredFile): Promise<boolean> {
    try {
      await this.#ask(file, null);
      return true;
    } catch (error) {
      // A refusal stands in the log where the GET failed (version-bytes.ts).
      if (isRefusal(error)) return false;
      const { path } = file;
      this.#mount.log.warn('a file could not be read ahead', { path, cause: describeError(error) });
      return false;
    }
  }

  /** `waiter`: null for a program that may come. */
  async #ask(file: StoredFile, waiter: Waiter | null): Promise<void> {
    const { known } = this.#mount.namespace;
    const question = known.ask();
    const askedAt = this.#mount.clock.monotonic();
    try {
      const head = await file.reader.fetchSmall(waiter);
      if (head === null || !this.#isStill(file)) known.forgetQuestion(question);
      else known.learn(file.path, question, askedAt, head);
    } catch (error) {
      known.forgetQuestion(question);
      if (!isRefusal(error, 'missing') && !(error instanceof VersionChanged)) throw error;
      // What is there now the next look tells.
      if (this.#isStill(file)) known.doubt(file.path);
    }
  }

  #isStill({ path, version }: StoredFile): boolean {
    const entry = this.#mount.namespace.known.recall(path);
    return entry?.kind === 'file' && entry.version === version;
  }
}
