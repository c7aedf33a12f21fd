/** Who can fetch a file, by which link, and when does that change? (§3.2, §4.12 to §4.14) */
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { names, writeFile } from '../support/open-for-test.ts';
import { errnoOfCall, setXattr, xattr } from '../support/program-acts.ts';
import { openScene, SERVICES, type Scene } from './scene.ts';

const LAG_MS = 45_000;
const MINUTE_MS = 60_000;

interface Shown {
  readonly visibility: string;
  readonly url: string;
  readonly shareUrl: string;
  readonly shareExpiresAt: string;
}

/** What getfattr shows of `/f`. */
async function shown({ fs }: Scene): Promise<Shown> {
  const value = (name: string): Promise<string> => xattr(fs, '/f', `user.pailfs.${name}`);
  return {
    visibility: await value('visibility'),
    url: await value('url'),
    shareUrl: await value('share_url'),
    shareExpiresAt: await value('share_expires_at'),
  };
}

function publish({ fs }: Scene): Promise<void> {
  return setXattr(fs, '/f', 'user.pailfs.visibility', 'public');
}

function makePrivate({ fs }: Scene): Promise<void> {
  return setXattr(fs, '/f', 'user.pailfs.visibility', 'private');
}

async function fetched(url: string): Promise<string> {
  return (await fetch(url)).text();
}

describe.each(SERVICES)('a file of %s', (_service, behaviours) => {
  it('is private when it is new', async () => {
    const scene = await openScene(behaviours);

    await writeFile(scene.fs, '/f', 'bytes');
    scene.forget();

    expect((await shown(scene)).visibility).toBe('private');
  });

  it('has the new bytes after a rewrite', async () => {
    const { fs, foreignWrite, stored } = await openScene(behaviours);
    await foreignWrite('f', 'the old bytes');

    await writeFile(fs, '/f', 'new');

    expect((await stored('f')).toString()).toBe('new');
  });

  it('is private after a rewrite that does not publish it again', async () => {
    const scene = await openScene(behaviours, { settings: { visibility: 'private' } });
    await writeFile(scene.fs, '/f', 'old');
    await publish(scene);

    await writeFile(scene.fs, '/f', 'new');
    scene.forget();

    expect(await shown(scene)).toMatchObject({ visibility: 'private', url: '' });
  });

  it('has a permanent link for everybody once it is public', async () => {
    const scene = await openScene(behaviours);
    await writeFile(scene.fs, '/f', 'bytes');

    await publish(scene);

    expect(await fetched((await shown(scene)).url)).toBe('bytes');
  });

  it('stays public until somebody changes it', async () => {
    const scene = await openScene(behaviours);
    await writeFile(scene.fs, '/f', 'bytes');

    await publish(scene);
    scene.forget();

    expect((await shown(scene)).visibility).toBe('public');
  });

  it('has no temporary link while it is public', async () => {
    const scene = await openScene(behaviours);
    await writeFile(scene.fs, '/f', 'bytes');

    await publish(scene);

    expect(await shown(scene)).toMatchObject({ shareUrl: '', shareExpiresAt: '' });
  });

  it('has a temporary link, and no other, once it is private again', async () => {
    const scene = await openScene(behaviours);
    await writeFile(scene.fs, '/f', 'bytes');
    await publish(scene);

    await makePrivate(scene);

    const { url, shareUrl, shareExpiresAt } = await shown(scene);
    expect(url).toBe('');
    expect(shareUrl).toMatch(/\/private\/\S+\/f\?Expires=\d+&Signature=\S+&Key-Pair-Id=/);
    expect(await fetched(shareUrl)).toBe('bytes');
    expect(Date.parse(shareExpiresAt)).toBeGreaterThan(Date.now());
  });

  it('cannot be fetched by its permanent link a minute after it was made private', async () => {
    const clock = new ManualClock(Date.now());
    const scene = await openScene(behaviours, { store: { clock, unpublishLag: LAG_MS } });
    await writeFile(scene.fs, '/f', 'bytes');
    await publish(scene);
    const { url } = await shown(scene);

    await makePrivate(scene);
    const atOnce = await fetch(url);
    clock.advance(MINUTE_MS);
    const later = await fetch(url);

    expect([atOnce.status, later.status]).toEqual([200, 404]);
  });

  it('cannot be published when somebody has deleted it', async () => {
    const scene = await openScene(behaviours);
    await scene.foreignWrite('f', 'x');
    await names(scene.fs, '/');
    await scene.direct.deleteObject(scene.bucket, 'f');

    expect(await errnoOfCall(publish(scene))).toMatch(/^(ENOENT|EINVAL)$/);
  });

  it('has the link that suits its visibility', async () => {
    const scene = await openScene(behaviours);
    await writeFile(scene.fs, '/f', 'bytes');

    const temporary = await xattr(scene.fs, '/f', 'user.pailfs.link');
    await publish(scene);
    const permanent = await xattr(scene.fs, '/f', 'user.pailfs.link');

    expect(temporary).toMatch(/\/private\/\S+\/f\?Expires=\d+&Signature=/);
    expect(permanent).toMatch(/\/public\/[^?]+\/f$/);
    expect([await fetched(temporary), await fetched(permanent)]).toEqual(['bytes', 'bytes']);
  });

  it('has no link when somebody has deleted it', async () => {
    const { fs, foreignWrite, direct, bucket } = await openScene(behaviours);
    await foreignWrite('f', 'x');
    await names(fs, '/');
    await direct.deleteObject(bucket, 'f');

    expect(await errnoOfCall(xattr(fs, '/f', 'user.pailfs.link'))).toBe('ENOENT');
  });
});
