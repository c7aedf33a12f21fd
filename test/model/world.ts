/** What does one run of a property play in? A file system over a service whose liberties and cache size the run chooses. */
import * as fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { openFileSystem, type MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { EmbeddedStore } from '../../src/server/embedded-store.ts';
import { RequestLog } from '../../src/server/request-log.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { defaultSettings } from '../support/open-for-test.ts';
import { recordingService } from '../support/recording-service.ts';

export interface WorldChoices {
  readonly behaviours: Partial<Behaviours>;
  /** Bytes. */
  readonly memoryLimit: number;
  readonly conflict?: FileSystemSettings['conflict'];
  readonly writeBack?: boolean;
  readonly renameLimit?: number;
  /** What stands between the mount and the service. */
  readonly between?: (service: ObjectService) => ObjectService;
}

export interface World {
  readonly mounted: MountedFileSystem;
  /** Neither counted nor part of the mount: for other programs, and for looking. */
  readonly direct: ObjectService;
  readonly bucket: string;
  readonly writeBack: boolean;
  /** Of the file system and of the service. */
  readonly clock: ManualClock;
  /** Of the mount alone. */
  readonly requests: RequestLog;
  /** Resolves when no request of the mount is under way any more. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** Less than a file of a few blocks: blocks are pushed out all the time. */
export const TINY_MEMORY = 256 * 1024;
const ROOMY_MEMORY = 64 * 1024 * 1024;

export const behaviourChoices: fc.Arbitrary<Partial<Behaviours>> = fc.record({
  range: fc.constantFrom<Behaviours['range'][]>('honoured', 'ignored', 'refused', 'short'),
  pages: fc.constantFrom<Behaviours['pages'][]>('ordinary', 'nasty'),
  order: fc.constantFrom<Behaviours['order'][]>('keys', 'scattered'),
  folders: fc.constantFrom<Behaviours['folders'][]>('implicit', 'lasting'),
  etag: fc.constantFrom<Behaviours['etag'][]>('md5', 'random'),
  missingFolder: fc.constantFrom<Behaviours['missingFolder'][]>('empty', 'missing'),
  folderEntries: fc.constantFrom<Behaviours['folderEntries'][]>('hidden', 'listed'),
});

export const worldChoices: fc.Arbitrary<WorldChoices> = fc.record({
  behaviours: behaviourChoices,
  memoryLimit: fc.constantFrom(ROOMY_MEMORY, TINY_MEMORY),
});

/** With one empty bucket. The caller closes it. */
export async function openWorld(choices: WorldChoices): Promise<World> {
  const { behaviours, memoryLimit, conflict, writeBack = false, renameLimit, between } = choices;
  const clock = new ManualClock();
  const store = await EmbeddedStore.open({ behaviours, clock });
  const direct = store.account();
  const { bucket } = await direct.createBucket('photos');
  const requests = new RequestLog();
  const stateDirectory = await mkdtemp(join(tmpdir(), 'pailfs-model-'));
  const mounted = await openFileSystem({
    service: recordingService(between?.(direct) ?? direct, requests),
    bucket: await direct.getBucket(bucket),
    clock,
    log: silentLog,
    settings: {
      ...defaultSettings(stateDirectory),
      memoryLimit,
      writeBack,
      ...(conflict && { conflict }),
      ...(renameLimit !== undefined && { renameLimit }),
    },
  });
  return {
    mounted,
    direct,
    bucket,
    writeBack,
    clock,
    requests,
    quiet: () => untilQuiet(requests),
    close: async () => {
      await mounted.close({ patience: 60_000 });
      await store.close();
      await rm(stateDirectory, { recursive: true, force: true });
    },
  };
}

/** What timers started has no promise: it has ended when turns of the event loop pass without a new request. */
async function untilQuiet(requests: RequestLog): Promise<void> {
  let seen = -1;
  while (seen !== requests.count()) {
    seen = requests.count();
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
