/** How does a test decide when the later pages of a listing arrive? Each waits until it is let through; the first never does. */
import type { ListObjectsQuery, ObjectService } from '../../src/service/object-service.ts';
import type { ObjectPage } from '../../src/service/records.ts';
import { Refusal, type RefusalKind } from '../../src/service/refusal.ts';
import { InterceptedService } from './intercepted-service.ts';
import { openForTest, type FileSystemForTest } from './open-for-test.ts';

export class HeldPages extends InterceptedService {
  readonly #pageSize: number;
  readonly #waits: 'request' | 'answer';
  readonly #waiting: (() => void)[] = [];
  readonly #refusals: RefusalKind[] = [];
  #mayPass = 0;
  #isHolding = true;

  /** `pageSize`: entries a page has, whatever is asked for. `waits`: an answer that does is made before, and is old when it comes. */
  constructor(inner: ObjectService, pageSize: number, waits: 'request' | 'answer' = 'request') {
    super(inner, (_call, proceed) => proceed());
    this.#pageSize = pageSize;
    this.#waits = waits;
  }

  /** How many pages wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** So many pages are let through, now or when they are asked for. */
  letPass(pages = Number.POSITIVE_INFINITY): void {
    this.#mayPass += pages;
    while (this.#mayPass > 0) {
      const pass = this.#waiting.shift();
      if (pass === undefined) return;
      this.#mayPass -= 1;
      pass();
    }
  }

  /** Pages that are asked for from now on do not wait. Those that do go on waiting. */
  letNewPass(): void {
    this.#isHolding = false;
  }

  /** Pages wait again. */
  hold(): void {
    this.#mayPass = 0;
    this.#isHolding = true;
  }

  /** The next page that is let through is refused instead. */
  refuseNext(kind: RefusalKind): void {
    this.#refusals.push(kind);
  }

  override async listObjects(bucket: string, query: ListObjectsQuery): Promise<ObjectPage> {
    const page = (): Promise<ObjectPage> => super.listObjects(bucket, { ...query, limit: this.#pageSize });
    const made = this.#waits === 'answer' ? await page() : undefined;
    if (query.page !== undefined) {
      await this.#turn();
      const refusal = this.#refusals.shift();
      if (refusal !== undefined)
        throw new Refusal(refusal, 'as the test wants', { operation: 'listObjects' });
    }
    return made ?? page();
  }

  async #turn(): Promise<void> {
    if (!this.#isHolding) return;
    if (this.#mayPass > 0) {
      this.#mayPass -= 1;
      return;
    }
    await new Promise<void>((pass) => this.#waiting.push(pass));
  }
}

export interface FileSystemOfPages extends FileSystemForTest {
  readonly pages: HeldPages;
}

/** Listings come to it in pages of two entries. */
export async function openWithHeldPages(): Promise<FileSystemOfPages> {
  const held: HeldPages[] = [];
  const opened = await openForTest({
    between: (service) => {
      const pages = new HeldPages(service, 2);
      held.push(pages);
      return pages;
    },
  });
  const [pages] = held;
  if (pages === undefined) throw new Error('no pages were held');
  return { ...opened, pages };
}
