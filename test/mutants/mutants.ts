/** Which ways does the embedded server have to break a rule? */
import { fileMutants } from './file-mutants.ts';
import { visibilityMutants } from './visibility-mutants.ts';

export const mutants: ReadonlyMap<string, () => void> = new Map(
  [fileMutants, visibilityMutants].flatMap((each) => Object.entries(each)),
);
