/** What looks cost with `metadata_ttl=0`, exactly: no answer is believed by the next call, but one call asks nothing twice. */
import { describe, expect, it, vi } from 'vitest';
import { InterceptedService } from '../support/intercepted-service.ts';
import { openForTest, type FileSystemForTest } from '../support/open-for-test.ts';

interface Scene extends FileSystemForTest {
  /** Done once, while the service answers the next request. */
  readonly meanwhile: (act: () => Promise<void>) => void;
}

/** Some time goes by between any two looks at the clock, as it does in truth. */
async function scene(): Promise<Scene> {
  let acts: (() => Promise<void>)[] = [];
  const test = await openForTest({
    settings: { metadataTtl: 0 },
    between: (service) =>
      new InterceptedService(service, async (_call, proceed) => {
        const answer = await proceed();
        const due = acts;
        acts = [];
        for (const act of due) await act();
        return answer;
      }),
  });
  let looks = 0;
  vi.spyOn(test.clock, 'monotonic').mockImplementation(() => (looks += 1));
  await test.foreignWrite('a/b/c/file', 'first');
  return { ...test, meanwhile: (act) => void acts.push(act) };
}

const DEEP = '/a/b/c/file';

describe('with metadata_ttl=0', () => {
  it('a look three folders down asks each listing once, and the next one again [fresh/long-listings]', async () => {
    const { fs, asked } = await scene();
    // Which of its names are folders the service has told by now.
    await fs.getAttributes(DEEP);
    asked();

    await fs.getAttributes(DEEP);
    expect(asked()).toEqual(['listObjects a', 'listObjects a/b/c']);
    await fs.getAttributes('/a/b/c');
    expect(asked()).toEqual(['listObjects a', 'listObjects a/b/c']);
    await expect(fs.getAttributes('/a/b/c/absent')).rejects.toMatchObject({ code: 'ENOENT' });

    expect(asked()).toEqual(['listObjects a', 'listObjects a/b/c']);
  });

  it('a look after a foreign change sees it', async () => {
    const { fs, foreignWrite, direct, bucket } = await scene();
    await fs.getAttributes(DEEP);

    await foreignWrite('a/b/c/file', 'the second');
    expect(await fs.getAttributes(DEEP)).toMatchObject({ size: 10 });
    await direct.deleteObject(bucket, 'a/b/c/file');

    await expect(fs.getAttributes(DEEP)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('what was asked for before a refresh is asked for again by a look that goes on [fresh/refresh]', async () => {
    const { fs, mounted, asked, meanwhile } = await scene();
    await fs.getAttributes(DEEP);
    asked();

    meanwhile(() => {
      mounted.refresh('/a');
      return Promise.resolve();
    });
    await fs.getAttributes(DEEP);

    expect(asked()).toEqual(['listObjects a', 'listObjects a', 'listObjects a/b/c']);
  });
});
