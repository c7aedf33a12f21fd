/** What does a person hear when the service's answers about one file do not agree? */
import { expect, it } from 'vitest';
import { openForTest } from '../support/open-for-test.ts';
import { withOtherEtags } from '../support/other-etags.ts';
import { openToRead, textAt } from '../support/program-acts.ts';

it('a file whose bytes come with another ETag than it was listed with is not said to be replaced [fresh/no-mixing]', async () => {
  const { fs, foreignWrite } = await openForTest({ between: withOtherEtags });
  await foreignWrite('f', 'content');
  const handle = await openToRead(fs, '/f');

  await expect(textAt(fs, handle)).rejects.toMatchObject({
    code: 'ESTALE',
    reason: expect.stringMatching(
      /another ETag .* of the same size and time.*answers do not agree/,
    ) as string,
  });
  await fs.release(handle);
});
