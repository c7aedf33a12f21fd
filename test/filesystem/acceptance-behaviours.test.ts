/** The acceptance suite in process, on services that take every liberty, and with settings at their extremes. */
import { AWKWARD, WITHOUT_RANGES } from '../acceptance/awkward-services.ts';
import { describeAcceptance } from '../acceptance/describe-acceptance.ts';
import { openSubjectInProcess } from '../acceptance/subject-in-process.ts';

describeAcceptance('on an awkward service', () => openSubjectInProcess({ store: { behaviours: AWKWARD } }));
describeAcceptance('on a service without ranges, with next to no memory', () =>
  openSubjectInProcess({ store: { behaviours: WITHOUT_RANGES }, settings: { memoryLimit: 400_000 } }),
);
describeAcceptance('with metadata that is never trusted', () =>
  openSubjectInProcess({ settings: { metadataTtl: 0 } }),
);
