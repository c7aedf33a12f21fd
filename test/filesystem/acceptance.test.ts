/** The acceptance suite in process: the file system over the embedded service, without HTTP and without a kernel. */
import {
  describeAcceptance,
  describeBeyondNative,
  describeReadOnly,
} from '../acceptance/describe-acceptance.ts';
import { openSubjectInProcess } from '../acceptance/subject-in-process.ts';

describeAcceptance('in process', () => openSubjectInProcess());
describeBeyondNative('in process', () => openSubjectInProcess());
describeReadOnly('in process', () => openSubjectInProcess({ settings: { readOnly: true } }));
describeReadOnly(
  'since its credentials may only read, in process',
  () => openSubjectInProcess({ settings: { mayWrite: false } }),
  'EACCES',
);
