/** The names of a bucket without a file system above; answers of the service can be held. */
import { FolderMemory, NamesRoom } from '../../src/namespace/folder-memory.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { BucketStore } from '../../src/store/bucket-store.ts';
import { createGates } from '../../src/store/gates.ts';
import { openEmbeddedService, type EmbeddedService } from './embedded-service.ts';
import { HeldAnswers } from './held-answers.ts';
import { ManualClock } from './manual-clock.ts';
import { nothingKept } from './nothing-kept.ts';
import { LogForTest } from './program-acts.ts';

/** Milliseconds. */
const TTL = 10_000;

export interface NamesAlone extends EmbeddedService {
  readonly namespace: Namespace;
  readonly clock: ManualClock;
  readonly held: HeldAnswers;
}

/** `maxBytes`: memory for names. */
export async function namesAlone(maxBytes = 1_000_000): Promise<NamesAlone> {
  const held = new HeldAnswers();
  const embedded = await openEmbeddedService();
  const clock = new ManualClock();
  const namespace = new Namespace({
    store: new BucketStore(held.between(embedded.service), embedded.bucket, createGates()),
    clock,
    log: new LogForTest(),
    ttl: TTL,
    folders: new FolderMemory(new NamesRoom(maxBytes)),
    locals: nothingKept,
  });
  return { ...embedded, namespace, clock, held };
}
