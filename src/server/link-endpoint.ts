/** What does the address of a link serve? (§2.5) Nobody has to say who he is. */
import { errorAnswer, type Answer } from './answer.ts';
import type { Behaviours } from './behaviours.ts';
import { downloadAnswer } from './file-endpoints.ts';
import type { PublishedFiles } from './published-files.ts';
import type { Target } from './raw-path.ts';

/** Answers GET and HEAD of a link; 403 when it is forged or has expired, 404 when it serves nothing. */
export async function answerLink(
  files: PublishedFiles,
  target: Target,
  behaviours: Behaviours,
): Promise<Answer> {
  const { path, bucket, key, query } = target;
  const found =
    path === 'public' ? await files.permanent(bucket, key) : await files.temporary(bucket, key, query);
  if (found === 'forbidden') return errorAnswer('file', 403, 'The link has expired or is not valid.');
  if (found === undefined) return errorAnswer('file', 404, 'There is no such file.');
  return downloadAnswer(found, behaviours, false);
}
