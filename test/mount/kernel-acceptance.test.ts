/** The acceptance suite on a real mount of the kernel driver, also what the native one cannot offer. */
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { replacementCases } from '../acceptance/concurrency-cases.ts';
import { describeAcceptance, describeReadOnly } from '../acceptance/describe-acceptance.ts';
import { PosixOnDisk } from '../acceptance/posix-on-disk.ts';
import { noReplaceCases } from '../acceptance/rename-cases.ts';
import { Subject } from '../acceptance/subject.ts';
import { MountedBucket, type BucketMountOptions } from '../support/mounted-bucket.ts';

/** One mount for all cases, each in a folder of its own. */
function onOneMount(options: BucketMountOptions): () => Promise<Subject> {
  let mount: MountedBucket;
  let cases = 0;
  beforeAll(async () => {
    mount = await MountedBucket.open({ driver: 'kernel', ...options });
  });
  afterAll(() => mount.close());
  beforeEach(() => {
    mount.startTimer();
  });
  afterEach(() => {
    mount.stopTimer();
  });
  return async () => {
    cases += 1;
    const folder = `case-${cases}`;
    await mount.direct.createFolder(mount.bucket, folder);
    const refresh = async (): Promise<void> => {
      await mount.ask('refresh');
    };
    await refresh();
    const { direct, bucket, path } = mount;
    return new Subject({ posix: new PosixOnDisk(path), direct, bucket, folder, refresh });
  };
}

describeAcceptance('on a mount of the kernel driver', onOneMount({}));
describeReadOnly('on a mount of the kernel driver', onOneMount({ settings: { readOnly: true } }));

// Cases that ask about an open file by a program of their own are not among them: starting one closes what it inherits.
describe('beyond what the native driver can', () => {
  const openSubject = onOneMount({});
  noReplaceCases(openSubject);
  replacementCases(openSubject);
});
