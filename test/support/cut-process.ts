/** How does a process end in the middle of something, in process? Its requests go nowhere any more, and its disk is copied. */
import { cpSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { silentLog, type Log } from '../../src/base/log.ts';
import { openFileSystem, type MountedFileSystem } from '../../src/filesystem/open-file-system.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { openEmbeddedService, type EmbeddedService } from './embedded-service.ts';
import { InterceptedService } from './intercepted-service.ts';
import { ManualClock } from './manual-clock.ts';
import { defaultSettings } from './open-for-test.ts';
import { removeDirectory } from './remove-directory.ts';
import type { StoreOptions } from '../../src/server/embedded-store.ts';

/** Where the process ends: at its so-and-so-many-th request, counted from 0, which the service has done or has not. */
export interface Cut {
  readonly at: number;
  readonly isDone: boolean;
}

export interface CutProcess extends EmbeddedService {
  readonly mounted: MountedFileSystem;
  /** From now on requests are counted. */
  begin(cut: Cut): void;
  /** Whether it has come to the cut. */
  readonly isCut: () => boolean;
  /** The next process, over what the one that was cut had left on its disk. */
  next(log?: Log): Promise<MountedFileSystem>;
}

export async function openCutProcess(
  store: StoreOptions = {},
  settings: Partial<FileSystemSettings> = {},
): Promise<CutProcess> {
  const embedded = await openEmbeddedService(store);
  const [before, after] = [await stateDirectory(), await stateDirectory()];
  let cut: Cut | null = null;
  let count = 0;
  let isCut = false;
  const dead = (): never => {
    throw new Refusal('unavailable', 'the process is dead', { operation: 'headObject' });
  };
  const service = new InterceptedService(embedded.direct, async (_call, proceed) => {
    if (isCut) return dead();
    const number = count;
    count += 1;
    if (number !== cut?.at) return proceed();
    // Nobody hears what the answer is.
    if (cut.isDone) await Promise.allSettled([proceed()]);
    isCut = true;
    cpSync(before, after, { recursive: true });
    return dead();
  });
  const open = (via: ObjectService, directory: string, log?: Log): Promise<MountedFileSystem> =>
    mountOf(embedded, via, { settings: { ...defaultSettings(directory), ...settings }, log });
  const mounted = await open(service, before);
  return {
    ...embedded,
    mounted,
    begin: (asked) => {
      cut = asked;
      count = 0;
    },
    isCut: () => isCut,
    next: (log) => open(embedded.direct, after, log),
  };
}

async function mountOf(
  { direct, bucket }: EmbeddedService,
  service: ObjectService,
  { settings, log = silentLog }: { readonly settings: FileSystemSettings; readonly log?: Log | undefined },
): Promise<MountedFileSystem> {
  const mounted = await openFileSystem({
    service,
    bucket: await direct.getBucket(bucket),
    clock: new ManualClock(Date.now()),
    log,
    settings,
  });
  onTestFinished(async () => {
    await mounted.close({ patience: 1000 });
  });
  return mounted;
}

async function stateDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pailfs-cut-'));
  onTestFinished(() => removeDirectory(directory));
  return directory;
}
