/** In which bucket does a turn find its contents? What nobody changes is stored once and shared. */
import type { Contents } from '../contents/contents.ts';
import type { Testbed } from './testbed.ts';

/** The buckets of one testbed. */
export class Buckets {
  readonly #testbed: Testbed;
  readonly #shared = new Map<Contents, string>();

  constructor(testbed: Testbed) {
    this.#testbed = testbed;
  }

  /** Calls `act` with a bucket that holds `contents`: an empty one, removed afterwards, when they are null. */
  async use(contents: Contents | null, act: (bucket: string) => Promise<void>): Promise<void> {
    if (contents !== null) {
      await act(this.#shared.get(contents) ?? (await this.#make(contents)));
      return;
    }
    const own = await this.#testbed.createBucket();
    try {
      await act(own);
    } finally {
      await this.#testbed.deleteBucket(own);
    }
  }

  async #make(contents: Contents): Promise<string> {
    const bucket = await this.#testbed.createBucket();
    if ('files' in contents) await this.#testbed.putObjects(bucket, contents.files);
    else await this.#testbed.fillWithPatterned(bucket, contents.patterned);
    this.#shared.set(contents, bucket);
    return bucket;
  }
}
