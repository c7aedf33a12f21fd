/** What does the service hold, in a word that a test compares? */
import { bytesUnder, namesBelow } from '../model/service-contents.ts';
import type { EmbeddedService } from './embedded-service.ts';
import { names, openForTest, type FileSystemForTest, type TestOptions } from './open-for-test.ts';

/** `(none)` where nothing is. */
export async function textOf(scene: Pick<FileSystemForTest, 'stored'>, key: string): Promise<string> {
  return (await scene.stored(key).catch(() => Buffer.from('(none)'))).toString();
}

export async function visibilityOf(
  { direct, bucket }: Pick<EmbeddedService, 'direct' | 'bucket'>,
  key: string,
): Promise<string> {
  return (await direct.getVisibility(bucket, key)).visibility;
}

/** Of an edit at the top that was stored beside what somebody else had stored. */
export async function textOfConflictCopy(scene: FileSystemForTest): Promise<string> {
  const [copy = ''] = (await names(scene.fs, '/')).filter((name) => name.includes('conflict'));
  return textOf(scene, copy);
}

/** What all files of the bucket hold, by key. */
export async function textsOf({
  direct,
  bucket,
}: Pick<EmbeddedService, 'direct' | 'bucket'>): Promise<Record<string, string>> {
  const { files } = await namesBelow(direct, bucket, '');
  const held: Record<string, string> = {};
  for (const key of [...files].sort())
    held[key] = (await bytesUnder(direct, bucket, key))?.toString() ?? 'nothing';
  return held;
}

/** As `textsOf`, the one that a conflict put beside another file under `beside`. */
export async function storedIn(
  scene: Pick<EmbeddedService, 'direct' | 'bucket'>,
): Promise<Record<string, string>> {
  const texts = Object.entries(await textsOf(scene));
  return Object.fromEntries(texts.map(([key, text]) => [key.includes(' (conflict') ? 'beside' : key, text]));
}

/** The service has `f`, which holds `wholeold`, and of which a mode is kept here. */
export async function withStoredFile(settings: TestOptions['settings'] = {}): Promise<FileSystemForTest> {
  const scene = await openForTest({ settings });
  await scene.foreignWrite('f', 'wholeold');
  await scene.fs.setAttributes('/f', { mode: 0o640 });
  return scene;
}

/** The service has `f`, which is listed, and whose visibility is known; nothing was asked since. */
export async function withListedFile(content = 'old'): Promise<FileSystemForTest> {
  const opened = await openForTest();
  await opened.foreignWrite('f', content);
  await names(opened.fs, '/');
  await opened.fs.getXattr('/f', 'user.pailfs.visibility');
  opened.asked();
  return opened;
}
