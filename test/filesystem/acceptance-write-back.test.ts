/** The acceptance suite in process with `--write-back`: what the service holds is looked at when everything has reached it. */
import { describeAcceptance, describeBeyondNative } from '../acceptance/describe-acceptance.ts';
import { openSubjectInProcess } from '../acceptance/subject-in-process.ts';

describeAcceptance('with write-back', () => openSubjectInProcess({ settings: { writeBack: true } }));
describeBeyondNative('with write-back', () => openSubjectInProcess({ settings: { writeBack: true } }));
