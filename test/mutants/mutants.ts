/** Which ways does the embedded server have to break a rule? */
import { accessMutants } from './access-mutants.ts';
import { answerMutants } from './answer-mutants.ts';
import { bucketMutants } from './bucket-mutants.ts';
import { fileMutants } from './file-mutants.ts';
import { listingMutants } from './listing-mutants.ts';
import { requestMutants } from './request-mutants.ts';
import { visibilityMutants } from './visibility-mutants.ts';

export const mutants: ReadonlyMap<string, () => void> = new Map(
  [
    accessMutants,
    answerMutants,
    bucketMutants,
    fileMutants,
    listingMutants,
    requestMutants,
    visibilityMutants,
  ].flatMap((each) => Object.entries(each)),
);
