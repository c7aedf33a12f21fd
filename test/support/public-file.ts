/** A public file in a mount, and a service that takes an upload without saying so. */
import { expect } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import type { UnsentChange } from '../../src/filesystem/unsent/unsent-change.ts';
import { mountOver, type DiskImage } from './after-a-crash.ts';
import { drained } from './drained.ts';
import { InterceptedService } from './intercepted-service.ts';
import { openForTest, type FileSystemForTest, type TestOptions } from './open-for-test.ts';
import { edit, errnoOfCall } from './program-acts.ts';
import { signal } from './signal.ts';
import { textOf, visibilityOf } from './stored-state.ts';

/** /f holds `old`, and is public. */
export async function withPublicFile(options: TestOptions = {}): Promise<FileSystemForTest> {
  const scene = await openForTest(options);
  await scene.foreignWrite('f', 'old');
  await scene.direct.setVisibility(scene.bucket, 'f', 'public');
  return scene;
}

/** /f holds `Old`, is private, and is owed its link. */
export async function withOwedLink(options: TestOptions = {}): Promise<FileSystemForTest> {
  const scene = await withPublicFile(options);
  scene.faults.add({ operation: 'setVisibility', times: Infinity, fault: { kind: 'status', status: 503 } });
  expect(await errnoOfCall(edit(scene.fs, '/f', 'O', 0))).toBe('EIO');
  scene.faults.clear();
  return scene;
}

export interface SilentUploads {
  /** One has been made. */
  readonly isMade: Promise<void>;
  readonly between: (service: ObjectService) => ObjectService;
}

/** No upload ends; each `arrives`, or none does. */
export function silentUploads(arrives = true): SilentUploads {
  const made = signal();
  const between = (service: ObjectService) =>
    new InterceptedService(service, async (call, proceed) => {
      if (call.operation !== 'putObject') return proceed();
      if (arrives) await proceed();
      made.give();
      return new Promise<never>(() => undefined);
    });
  return { isMade: made.given, between };
}

/** What /f holds, and who may read it. */
export async function stateOf(scene: FileSystemForTest): Promise<string[]> {
  return [await textOf(scene, 'f'), await visibilityOf(scene, 'f')];
}

/** Begins what waits, and waits for nothing. */
export function store(scene: Pick<FileSystemForTest, 'mounted'>): void {
  void drained(scene.mounted).catch(() => undefined);
}

/** A mount over `disk` has stored all that it found, and ended. Resolves with what it has set aside. */
export async function goneOn(
  disk: DiskImage,
  scene: FileSystemForTest,
  settings: Partial<FileSystemSettings> = {},
): Promise<readonly UnsentChange[]> {
  const next = await mountOver(disk, { ...scene, service: scene.direct }, { settings });
  await drained(next);
  const left = await next.unsent.list();
  await next.close({ patience: 1000 });
  return left;
}
