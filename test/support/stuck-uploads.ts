/** How does a test look at what programs do while an upload takes long? The service takes its first bytes, and then none for as long as it likes. */
import { onTestFinished } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';

export interface StuckUploads {
  /** Their keys, without those that were given up. */
  readonly stuck: ReadonlySet<string>;
  /** They go on; those that come later do at once. */
  readonly letGo: () => void;
}

/** All uploads of `service`: after the first piece of each, or once it has all bytes. */
export function stickUploads(service: ObjectService, when: 'midway' | 'at the end' = 'midway'): StuckUploads {
  const stuck = new Set<string>();
  let letGo: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  // Else the end of the mount would wait for them when the test fails.
  onTestFinished(letGo);
  const put = service.putObject.bind(service);
  service.putObject = async (bucket, key, body, options) => {
    const wait = async (): Promise<void> => {
      stuck.add(key);
      try {
        await orAborted(released, options?.signal);
      } finally {
        stuck.delete(key);
      }
    };
    const open = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of body.open()) {
        if (when === 'midway') await wait();
        yield piece;
      }
      if (when === 'at the end') await wait();
    };
    return put(bucket, key, { ...body, open }, options);
  };
  return {
    stuck,
    letGo: () => {
      letGo();
    },
  };
}

function orAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(new Error('the upload was given up'));
    };
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    void promise.then(resolve);
  });
}
