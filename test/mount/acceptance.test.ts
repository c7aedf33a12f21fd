/** The acceptance suite on a real mount: the kernel, the driver, the file system, HTTP, the service. */
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { AWKWARD } from '../acceptance/awkward-services.ts';
import { describeAcceptance, describeReadOnly } from '../acceptance/describe-acceptance.ts';
import { PosixOnDisk } from '../acceptance/posix-on-disk.ts';
import { Subject } from '../acceptance/subject.ts';
import { MountedBucket, type BucketMountOptions } from '../support/mounted-bucket.ts';

/** One mount for all cases of a `describe`, each in a folder of its own. */
function onOneMount(options: BucketMountOptions): () => Promise<Subject> {
  let mount: MountedBucket;
  let cases = 0;
  beforeAll(async () => {
    mount = await MountedBucket.open(options);
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

describe('the acceptance suite', () => {
  describeAcceptance('on a mount', onOneMount({}));
});
describe('the acceptance suite without trust', () => {
  const options = { store: { behaviours: AWKWARD }, settings: { metadataTtl: 1000 } };
  describeAcceptance('on a mount of an awkward service', onOneMount(options));
});
describe('the read-only acceptance suite', () => {
  describeReadOnly('on a mount', onOneMount({ settings: { readOnly: true } }));
});
