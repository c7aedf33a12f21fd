/** Is a bucket ready to use (§3.1), and what is a person told when it is not? */
import type { Bucket } from '../../service/records.ts';

export type BucketState = Pick<Bucket, 'name' | 'status' | 'statusMessage'>;

/** Empty when it is ready. */
export function warningsAbout({ name, status, statusMessage }: BucketState): string[] {
  if (status === 'ACTIVE') return [];
  const why = statusMessage === null ? '' : ` (${statusMessage})`;
  return [`bucket ${name} is ${status}${why}, not ACTIVE: calls may fail until it is`];
}
