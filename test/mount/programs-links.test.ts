/** Can people publish a file with setfattr and fetch it with curl, without credentials? */
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { sharedMount } from '../support/shared-mount.ts';

const LINK_LIFETIME_SECONDS = 600;

describe('on a mounted bucket', () => {
  /** By how much the service's clock is ahead, milliseconds. */
  let ahead = 0;
  const mount = sharedMount({
    store: {
      clock: { ...systemClock, now: () => systemClock.now() + ahead },
      linkLifetime: LINK_LIFETIME_SECONDS,
    },
    // Each look at a link is to be a new one.
    settings: { metadataTtl: 0 },
  });
  beforeEach(() => {
    ahead = 0;
  });

  const PUBLISH = 'setfattr -n user.pailfs.visibility -v public "$1"';
  const HIDE = 'setfattr -n user.pailfs.visibility -v private "$1"';
  const FETCH = 'curl --silent --show-error --fail --max-time 20';
  const URL_OF = 'getfattr --only-values -n user.pailfs.url "$1"';
  const SHARE_URL_OF = 'getfattr --only-values -n user.pailfs.share_url "$1"';

  it.each(['plain.txt', 'with space & +%?#.txt', 'ünï/日本語.txt', 'a/b/c/deep'])(
    'the file %j is published, fetched without credentials, and hidden again',
    async (name) => {
      await mount().run('mkdir -p "$(dirname "$1")"; echo "the bytes of $1" > "$1"', name);

      const published = await mount().run(`${PUBLISH} && ${FETCH} "$(${URL_OF})"`, name);
      expect(published).toMatchObject({ exit: 0, errors: '', output: `the bytes of ${name}\n` });

      const hidden = await mount().run(
        `url=$(${URL_OF}); ${HIDE} && ${FETCH} "$(${SHARE_URL_OF})" && ${FETCH} "$url"`,
        name,
      );
      expect(hidden.output).toBe(`the bytes of ${name}\n`);
      // What curl says when the service answers with an error.
      expect(hidden.exit).toBe(22);
    },
  );

  it('the share link of a private file works until it expires', async () => {
    const shared = await mount().run(`echo shared > "$1"; ${SHARE_URL_OF}`, 'shared.txt');
    const link = shared.output;
    const expires = await mount().run(
      'getfattr --only-values -n user.pailfs.share_expires_at "$1"',
      'shared.txt',
    );

    const before = await mount().run(`${FETCH} "$1"`, link);
    ahead = (LINK_LIFETIME_SECONDS + 1) * 1000;
    const after = await mount().run(`${FETCH} "$1"`, link);

    expect(before).toMatchObject({ exit: 0, output: 'shared\n' });
    expect(after).toMatchObject({ exit: 22, output: '' });
    const left = Date.parse(expires.output) - Date.now();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(LINK_LIFETIME_SECONDS * 1000);
  });

  it('the permanent link of a file goes on when programs rewrite the file', async () => {
    const link = await mount().run(`echo one > "$1"; ${PUBLISH}; ${URL_OF}`, 'page.html');

    await mount().run('echo two > "$1"', 'page.html');
    const rewritten = await mount().run(`${FETCH} "$1"`, link.output);
    await mount().run('sed -i s/two/three/ "$1"', 'page.html');
    const edited = await mount().run(`${FETCH} "$1"`, link.output);
    const type = await mount().run('getfattr --only-values -n user.mime_type "$1"', 'page.html');

    expect(rewritten.output).toBe('two\n');
    expect(edited.output).toBe('three\n');
    expect(type.output).toBe('text/html');
  });

  it('the link of a deleted file leads nowhere', async () => {
    const link = await mount().run(`echo gone > "$1"; ${PUBLISH}; ${URL_OF}; rm "$1"`, 'gone.txt');

    expect(await mount().run(`${FETCH} "$1"`, link.output)).toMatchObject({ exit: 22, output: '' });
  });

  it('ls, cp and tar ask for no link and no visibility', async () => {
    await mount().run('mkdir quiet; for i in 1 2 3; do echo $i > quiet/$i; done');
    mount().server.requests.reset();

    await mount().run('ls -l quiet; cp -r quiet copied; tar c quiet > /dev/null; getfattr -m - quiet/1');

    const asked = mount().server.requests.operations;
    expect(asked.filter((operation) => /Visibility|getLink/.test(operation))).toEqual([]);
  });
});
