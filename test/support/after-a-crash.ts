/** What does the next mount find when this one is killed now? The disk as it is, in a copy: nothing was closed or finished. */
import { cpSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { systemErrorCode } from '../../src/base/errors.ts';
import type { Log } from '../../src/base/log.ts';
import { silentLog } from '../../src/base/log.ts';
import {
  openFileSystem,
  type FileSystemInputs,
  type MountedFileSystem,
} from '../../src/filesystem/open-file-system.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { defaultSettings, type FileSystemForTest } from './open-for-test.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The local disk at one moment. */
export interface DiskImage {
  readonly directory: string;
}

export interface NextMount extends Pick<FileSystemInputs, 'leftovers' | 'localFiles'> {
  readonly settings?: Partial<FileSystemSettings>;
  readonly service?: ObjectService;
  readonly log?: Log;
  /** What other mounts of the bucket had on their disks. */
  readonly adopted?: readonly DiskImage[];
}

export async function diskNow(scene: Pick<FileSystemForTest, 'stateDirectory'>): Promise<DiskImage> {
  for (;;) {
    const directory = await temporaryDirectory();
    try {
      // At once: of a journal as it was before, and drafts as they were afterwards, no kill leaves a trace.
      cpSync(scene.stateDirectory, directory, { recursive: true });
      return { directory };
    } catch (error) {
      // A draft went in the middle of it: that was no moment.
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  }
}

/** A mount of the same bucket over `disk`. Closed by itself at the end of the test. */
export async function mountOver(
  disk: DiskImage,
  scene: FileSystemForTest,
  { settings = {}, service = scene.service, log = silentLog, adopted = [], ...inputs }: NextMount = {},
): Promise<MountedFileSystem> {
  const mounted = await openFileSystem({
    service,
    bucket: await scene.direct.getBucket(scene.bucket),
    clock: scene.clock,
    log,
    settings: { ...defaultSettings(disk.directory), ...settings },
    adopted: adopted.map(({ directory }) => directory),
    ...inputs,
  });
  onTestFinished(async () => {
    await mounted.close({ patience: 1000 });
  });
  return mounted;
}
