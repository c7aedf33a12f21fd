import { everyday } from '../programs/all-programs.ts';
import { describePrograms } from '../programs/describe-programs.ts';

describePrograms(everyday);
