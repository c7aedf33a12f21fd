/** What must credentials look like, wherever they are read from? */
import { z } from 'zod';
import type { Credentials } from '../../client/credentials.ts';

/** Basic authentication could not carry a colon (§5). */
export const accessKeyIdValue = z.string('must be text').regex(/^[^:]*$/, 'must not contain a colon');

const credentialDocument = z.object({
  access_key_id: accessKeyIdValue.min(1, 'must not be empty'),
  secret_access_key: z.string('must be text').min(1, 'must not be empty'),
});

/** The keys of a document that holds credentials. */
export const credentialKeys: readonly string[] = Object.keys(credentialDocument.shape);

/** The credentials in a document, or what is wrong with it: half a sentence that repeats nothing of the document. */
export function credentialsOf(document: unknown): Credentials | string {
  const parsed = credentialDocument.safeParse(document);
  if (parsed.success) {
    return { accessKeyId: parsed.data.access_key_id, secretAccessKey: parsed.data.secret_access_key };
  }
  const [issue] = parsed.error.issues;
  const key = issue?.path[0];
  if (issue === undefined || key === undefined) return `must hold ${credentialKeys.join(' and ')}`;
  const isMissing = typeof document === 'object' && document !== null && !(key in document);
  return `${String(key)} ${isMissing ? 'is missing' : issue.message}`;
}
