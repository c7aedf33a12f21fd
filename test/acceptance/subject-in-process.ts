/** A subject in process: the file system over the embedded service, without HTTP and without a kernel. */
import type { TestOptions } from '../support/open-for-test.ts';
import { drained } from '../support/drained.ts';
import { openForTest } from '../support/open-for-test.ts';
import { PosixInProcess } from './posix-in-process.ts';
import { Subject } from './subject.ts';

/** Call in a test; gone with it. */
export async function openSubjectInProcess(options: TestOptions = {}): Promise<Subject> {
  const { fs, direct, bucket, mounted } = await openForTest(options);
  await direct.createFolder(bucket, 'case');
  const refresh = (): Promise<void> => {
    mounted.refresh('/');
    return Promise.resolve();
  };
  const settle = (): Promise<void> => drained(mounted);
  return new Subject({ posix: new PosixInProcess(fs), direct, bucket, folder: 'case', refresh, settle });
}
