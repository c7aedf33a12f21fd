/** The acceptance suite in process, on services that take every liberty where the spec is silent. */
import { describeAcceptance } from '../acceptance/describe-acceptance.ts';
import { PosixInProcess } from '../acceptance/posix-in-process.ts';
import { Subject } from '../acceptance/subject.ts';
import type { Behaviours } from '../../src/server/behaviours.ts';
import { openForTest } from '../support/open-for-test.ts';

const AWKWARD: Partial<Behaviours> = {
  range: 'short',
  folders: 'vanishing',
  missingFolder: 'missing',
  headFolder: 'found',
  folderEntries: 'listed',
  pages: 'nasty',
  etagStyle: 'weak',
  date: 'missing',
  missingVisibility: 400,
  excessiveLimit: 'refused',
};
const WITHOUT_RANGES: Partial<Behaviours> = {
  range: 'ignored',
  folders: 'lasting',
  pages: 'nasty',
  etag: 'random',
  etagStyle: 'quoted',
};

async function openSubject(behaviours: Partial<Behaviours>): Promise<Subject> {
  const { fs, direct, bucket, mounted } = await openForTest({ store: { behaviours } });
  await direct.createFolder(bucket, 'case');
  const refresh = (): Promise<void> => {
    mounted.refresh();
    return Promise.resolve();
  };
  return new Subject({ posix: new PosixInProcess(fs), direct, bucket, folder: 'case', refresh });
}

describeAcceptance('on an awkward service', () => openSubject(AWKWARD));
describeAcceptance('on a service without ranges', () => openSubject(WITHOUT_RANGES));
