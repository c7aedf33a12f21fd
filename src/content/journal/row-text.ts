/** Is a row what was written, and under this name? Each carries a checksum over both. */
import { z } from 'zod';
import { checksumOf } from '../../base/checksum.ts';
import { describeError } from '../../base/errors.ts';

const CHECKSUM_LENGTH = 8;

/** A row that was read. */
export type ReadRow<Value> =
  { readonly kind: 'whole'; readonly value: Value } | { readonly kind: 'damaged'; readonly reason: string };

/** A row's text; `value` is plain JSON. */
export function rowText(name: string, value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksumOf(`${name} ${json}`)} ${json}`;
}

/** What `rowText` was given, if it is that, and of this shape. */
export function readRow<Value>(name: string, text: string, schema: z.ZodType<Value>): ReadRow<Value> {
  const json = text.slice(CHECKSUM_LENGTH + 1);
  if (checksumOf(`${name} ${json}`) !== text.slice(0, CHECKSUM_LENGTH)) {
    return { kind: 'damaged', reason: 'the checksum is wrong' };
  }
  try {
    return { kind: 'whole', value: schema.parse(JSON.parse(json)) };
  } catch (error) {
    return {
      kind: 'damaged',
      reason: error instanceof z.ZodError ? z.prettifyError(error) : describeError(error),
    };
  }
}
