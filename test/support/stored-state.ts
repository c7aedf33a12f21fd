/** What does the service hold, in a word that a test compares? */
import type { EmbeddedService } from './embedded-service.ts';
import { names, type FileSystemForTest } from './open-for-test.ts';

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
