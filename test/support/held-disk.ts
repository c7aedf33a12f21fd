/** A local disk that takes its time with long writes, and a program whose driver hands its buffers over. */
import { expect, onTestFinished } from 'vitest';
import type { FileHandle } from '../../src/filesystem/operations.ts';
import { FailingDisk } from './failing-disk.ts';
import { openForTest, type FileSystemForTest, type TestOptions } from './open-for-test.ts';
import { LogForTest } from './program-acts.ts';

/** Shorter writes get through. */
const LEAST_HELD = 4096;

export interface HeldDisk extends FileSystemForTest {
  readonly disk: FailingDisk;
  readonly log: LogForTest;
  /** The disk takes bytes again. */
  readonly letGo: () => void;
  readonly write: (handle: FileHandle, data: Uint8Array, position: number) => Promise<void>;
  /** How often the file system has given a buffer back. */
  readonly freed: () => number;
}

/** The disk takes nothing but short writes, as of headers, until it is let go. */
export async function withHeldDisk(options: TestOptions = {}): Promise<HeldDisk> {
  const disk = new FailingDisk();
  const log = new LogForTest();
  const scene = await openForTest({ ...options, localFiles: disk, log });
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  disk.beforeWrite = (bytes) => (bytes >= LEAST_HELD ? held : Promise.resolve());
  onTestFinished(() => {
    letGo();
  });
  let freed = 0;
  const write: HeldDisk['write'] = async (handle, data, position) => {
    const count = await scene.fs.write(handle, data, position, () => {
      freed += 1;
    });
    expect(count).toBe(data.length);
  };
  return { ...scene, disk, log, letGo, write, freed: () => freed };
}

/** Whether it has ended once everything has that needs no disk. */
export async function hasEnded(promise: Promise<unknown>): Promise<boolean> {
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  promise.then(end, end);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return ended;
}
