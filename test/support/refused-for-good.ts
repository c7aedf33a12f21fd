/** A mount whose uploads are refused for good: what is set aside of them? */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFile } from '../../src/content/local-files.ts';
import type { UnsentChange } from '../../src/filesystem/unsent/unsent-change.ts';
import { draftText } from './draft-bytes.ts';
import { FailingDisk } from './failing-disk.ts';
import { openForTest, type FileSystemForTest, type TestOptions } from './open-for-test.ts';
import type { LogForTest, LogLine } from './program-acts.ts';

export async function refusing(options: TestOptions = {}): Promise<FileSystemForTest> {
  const scene = await openForTest(options);
  scene.faults.add({ operation: 'putObject', times: Infinity, fault: { kind: 'status', status: 413 } });
  return scene;
}

export const listed = (scene: FileSystemForTest): Promise<readonly UnsentChange[]> =>
  scene.mounted.unsent.list();

export const kept = (scene: FileSystemForTest): Promise<string[]> =>
  readdir(join(scene.stateDirectory, 'drafts'));

/** What the log says of those that were set aside before. */
export const told = (log: LogForTest): LogLine[] =>
  log.lines.filter(({ message }) => message.includes('set aside before'));

/** The texts that are set aside. */
export async function texts(scene: FileSystemForTest): Promise<string[]> {
  const changes = await listed(scene);
  return (await Promise.all(changes.map(({ file }) => draftText(String(file))))).sort();
}

/** A disk on which `meanwhile` happens before the first read of what was set aside before. */
export class SlowDisk extends FailingDisk {
  meanwhile: (() => Promise<void>) | null = null;
  opened: string[] = [];

  override async open(path: string): Promise<LocalFile> {
    this.opened.push(path);
    const { meanwhile } = this;
    this.meanwhile = null;
    await meanwhile?.();
    return super.open(path);
  }
}
