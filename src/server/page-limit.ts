/** How many entries may one page hold? (§8) */
import type { Operation } from '../service/refusal.ts';
import type { Behaviours } from './behaviours.ts';
import { refuse } from './store-parts.ts';

/** Rejects by throwing a refusal when `asked` is no positive whole number, or above the most where that is refused. */
export function pageLimit(
  operation: Operation,
  asked: number | undefined,
  behaviours: Behaviours,
  bounds: { readonly usual: number; readonly most: number },
): number {
  const limit = asked ?? bounds.usual;
  const tooMany = limit > bounds.most && behaviours.excessiveLimit === 'refused';
  if (!Number.isInteger(limit) || limit < 1 || tooMany)
    throw refuse({ operation }, 'rejected', `the limit must be between 1 and ${bounds.most}`, 400);
  return Math.min(limit, bounds.most);
}
