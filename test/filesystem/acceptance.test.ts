/** The acceptance suite in process: the file system over the embedded service, without HTTP and without a kernel. */
import {
  describeAcceptance,
  describeBeyondNative,
  describeReadOnly,
} from '../acceptance/describe-acceptance.ts';
import { PosixInProcess } from '../acceptance/posix-in-process.ts';
import { Subject } from '../acceptance/subject.ts';
import { openForTest } from '../support/open-for-test.ts';

async function openSubject(readOnly: boolean): Promise<Subject> {
  const { fs, direct, bucket, mounted } = await openForTest({ settings: { readOnly } });
  await direct.createFolder(bucket, 'case');
  const refresh = (): Promise<void> => {
    mounted.refresh();
    return Promise.resolve();
  };
  return new Subject({ posix: new PosixInProcess(fs), direct, bucket, folder: 'case', refresh });
}

describeAcceptance('in process', () => openSubject(false));
describeBeyondNative('in process', () => openSubject(false));
describeReadOnly('in process', () => openSubject(true));
