/**
 * May what stores a file end before its time, for somebody who waits for the file (claimed-soon.ts)?
 *
 * Yes, as long as the service has not all of its bytes: it stores none of them then. One that may have arrived is waited for, and never
 * assumed undone.
 */
import type { DraftUpload } from '../../content/content-store.ts';

/** Nothing is wrong with the bytes: whoever waits for their file comes first. */
export class UploadStopped extends Error {
  override readonly name = 'UploadStopped';
}

/** What one who stores a file looks at while he does. */
export class StoppableUpload {
  readonly #controller = new AbortController();
  #upload: Pick<DraftUpload, 'hasLeft'> | undefined;

  /** Aborted when it is to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on bytes leave. Throws `UploadStopped` when they need not. */
  begin(upload: Pick<DraftUpload, 'hasLeft'>): void {
    if (this.signal.aborted) throw new UploadStopped('somebody waits for the file');
    this.#upload = upload;
  }

  stop(): void {
    if (this.#upload?.hasLeft !== true) this.#controller.abort();
  }
}
