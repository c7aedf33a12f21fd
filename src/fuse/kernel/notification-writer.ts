/** What runs in the thread that tells the kernel of changes? It writes what it is given, and may be kept waiting for it. */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { describeError, systemErrorCode } from '../../base/errors.ts';

/** What the thread is told at first; then a `Uint8Array` for each message, `written?` for a sign of life after those before, and in the end `null`. */
export interface NotificationWriterData {
  readonly descriptor: number;
}

/** What it tells. */
export type WriterNews = 'written' | { readonly failure: string };

/** The kernel knows nothing of it (ENOENT, ENOTDIR), or is gone. */
const NOT_NEEDED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ECONNABORTED', 'ENOTCONN']);

const { descriptor } = workerData as NotificationWriterData;

parentPort?.on('message', (order: Uint8Array | 'written?' | null) => {
  if (order === null) parentPort?.close();
  else if (order === 'written?') tell('written');
  else write(order);
});

function write(notification: Uint8Array): void {
  try {
    writeSync(descriptor, notification);
  } catch (error) {
    if (NOT_NEEDED.has(systemErrorCode(error) ?? '')) return;
    tell({ failure: describeError(error) });
  }
}

function tell(news: WriterNews): void {
  parentPort?.postMessage(news);
}
