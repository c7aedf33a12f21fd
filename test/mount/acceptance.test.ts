/** The acceptance suite on a real mount: the kernel, the driver, the file system, HTTP, the service. */
import { describe } from 'vitest';
import { AWKWARD } from '../acceptance/awkward-services.ts';
import { replacementCases } from '../acceptance/concurrency-cases.ts';
import { describeAcceptance, describeReadOnly } from '../acceptance/describe-acceptance.ts';
import { PosixOnDisk } from '../acceptance/posix-on-disk.ts';
import { noReplaceCases } from '../acceptance/rename-cases.ts';
import { Subject } from '../acceptance/subject.ts';
import { DRIVERS } from '../support/drivers.ts';
import type { BucketMountOptions } from '../support/mounted-bucket.ts';
import { sharedMount } from '../support/shared-mount.ts';

/** One mount for all cases of a `describe`, each in a folder of its own. */
function onOneMount(options: BucketMountOptions): () => Promise<Subject> {
  const mount = sharedMount(options);
  let cases = 0;
  return async () => {
    cases += 1;
    const folder = `case-${cases}`;
    await mount().direct.createFolder(mount().bucket, folder);
    const refresh = async (): Promise<void> => {
      await mount().ask('refresh');
    };
    await refresh();
    const { direct, bucket, path } = mount();
    return new Subject({ posix: new PosixOnDisk(path), direct, bucket, folder, refresh });
  };
}

describe.each(DRIVERS)('the acceptance suite with the %s driver', (driver) => {
  describeAcceptance('on a mount', onOneMount({ driver }));
  describeReadOnly('on a mount', onOneMount({ driver, settings: { readOnly: true } }));
  // Cases that ask about an open file by a program of their own are not among them: starting one closes what it inherits.
  if (driver === 'kernel') {
    describe('beyond what the native driver can', () => {
      const openSubject = onOneMount({ driver });
      noReplaceCases(openSubject);
      replacementCases(openSubject);
    });
  }
});
describe('the acceptance suite without trust', () => {
  const options = { store: { behaviours: AWKWARD }, settings: { metadataTtl: 1000 } };
  describeAcceptance('on a mount of an awkward service', onOneMount(options));
});
