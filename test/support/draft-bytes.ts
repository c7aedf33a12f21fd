/** What is in the file of a draft, behind its header? */
import { readFile } from 'node:fs/promises';
import { CONTENT_START } from '../../src/content/draft-header.ts';

export async function draftBytes(path: string): Promise<Buffer> {
  return (await readFile(path)).subarray(CONTENT_START);
}

export async function draftText(path: string): Promise<string> {
  return (await draftBytes(path)).toString('utf8');
}
