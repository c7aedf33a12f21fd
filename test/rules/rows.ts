/** Which rules of the interface are shown, and by which tests? docs/COVERAGE.md in code. */
import { accessRows } from './access-rows.ts';
import { answerRows } from './answer-rows.ts';
import { bucketRows } from './bucket-rows.ts';
import { fileRows } from './file-rows.ts';
import { listingRows } from './listing-rows.ts';
import { requestRows } from './request-rows.ts';
import type { CoverageRow } from './row.ts';
import { visibilityRows } from './visibility-rows.ts';

/** In the order of the interface. */
export const coverageRows: readonly CoverageRow[] = [
  ...bucketRows,
  ...fileRows,
  ...listingRows,
  ...requestRows,
  ...visibilityRows,
  ...accessRows,
  ...answerRows,
].sort((one, other) => compared(placeOf(one), placeOf(other)));

/** `§4.11 rule 5` is `[4, 11, 5]`. */
function placeOf({ section }: CoverageRow): readonly number[] {
  return [...section.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

function compared(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
