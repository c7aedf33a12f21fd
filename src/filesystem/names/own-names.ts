/**
 * A program has a file open that was stored here, and the name shows a version that others seem to have stored: is it ours? Where neither
 * MD5 nor Date tells, its bytes do, once.
 */
import type { Clock } from '../../base/clock.ts';
import { SingleFlight } from '../../base/single-flight.ts';
import type { Waiter } from '../../base/waiter.ts';
import type { Namespace } from '../../namespace/namespace.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { EtagKind } from '../../store/etag-kind.ts';
import type { FileTable } from '../file-table.ts';
import type { OpenFile } from '../open-file.ts';

export interface OwnNamesParts {
  readonly namespace: Namespace;
  readonly table: FileTable;
  readonly clock: Pick<Clock, 'after'>;
  readonly etags: Pick<EtagKind, 'isProof'>;
}

export class OwnNames {
  readonly #namespace: Namespace;
  readonly #table: FileTable;
  readonly #etags: Pick<EtagKind, 'isProof'>;
  /** A look may download the whole file, and many programs may open it at once. */
  readonly #looks: SingleFlight<OpenFile, void>;

  constructor({ namespace, table, clock, etags }: OwnNamesParts) {
    this.#namespace = namespace;
    this.#table = table;
    this.#etags = etags;
    this.#looks = new SingleFlight(clock);
  }

  /**
   * Call before what `path` shows is taken for another file than the open one. Rejects with the service's refusal, or with `Interrupted`
   * when `waiter` leaves.
   */
  async settle(path: string, waiter?: Waiter): Promise<void> {
    const open = this.#table.get(path);
    const known = this.#namespace.known.recall(path);
    if (open?.version == null || open.dirty || known?.kind !== 'file') return;
    const { version } = open;
    const { size, etag, lastModified } = known.version;
    if (
      etag === null ||
      version.isSame(known.version) ||
      !version.mayBe({ size, etag, lastModified }, this.#etags)
    )
      return;
    const look = async (signal: AbortSignal): Promise<void> => {
      try {
        await this.#namespace.confirmFile(path, [version], { signal });
      } catch (error) {
        if (!isRefusal(error, 'missing')) throw error;
      }
    };
    await this.#looks.run(open, look, waiter);
  }
}
