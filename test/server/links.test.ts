/** Do links really serve the file, to anybody, for as long as they should? (§2.5, §3.2, §4.13) */
import { describe, expect, it } from 'vitest';
import { startEmbeddedServer, uploadOf } from '../support/embedded-service.ts';
import { ManualClock } from '../support/manual-clock.ts';

const KEY = 'fotos/ä b+c?.txt';

describe('a link', () => {
  it('of a public file serves it until the file turns private', async () => {
    const { direct, bucket, baseUrl } = await startEmbeddedServer();
    await direct.putObject(bucket, KEY, uploadOf('bytes', 'text/plain'));
    const { url } = await direct.setVisibility(bucket, KEY, 'public');

    const open = await fetch(url ?? '');
    const head = await fetch(url ?? '', { method: 'HEAD' });
    const { shareUrl } = await direct.setVisibility(bucket, KEY, 'private');
    const closed = await fetch(url ?? '');
    const shared = await fetch(shareUrl ?? '');

    expect(url?.startsWith(`${baseUrl}/public/${bucket}/`)).toBe(true);
    expect(open.status).toBe(200);
    expect(open.headers.get('content-type')).toBe('text/plain');
    expect(await open.text()).toBe('bytes');
    expect(head.headers.get('content-length')).toBe('5');
    expect(closed.status).toBe(404);
    expect(await shared.text()).toBe('bytes');
  });

  it('that is permanent works on for a while after the file turned private, when so switched', async () => {
    const clock = new ManualClock();
    const { direct, bucket } = await startEmbeddedServer({ clock, unpublishLag: 60_000 });
    await direct.putObject(bucket, KEY, uploadOf('bytes'));
    const { url } = await direct.setVisibility(bucket, KEY, 'public');
    await direct.setVisibility(bucket, KEY, 'private');

    clock.advance(59_000);
    const lagging = await fetch(url ?? '');
    clock.advance(1_000);
    const ended = await fetch(url ?? '');

    expect([lagging.status, ended.status]).toEqual([200, 404]);
  });

  it('that is temporary works until it expires, for what is stored then', async () => {
    const clock = new ManualClock();
    const { direct, bucket } = await startEmbeddedServer({ clock, linkLifetime: 100 });
    await direct.putObject(bucket, KEY, uploadOf('old'));
    const { url, expiresAt } = await direct.getLink(bucket, KEY);
    await direct.putObject(bucket, KEY, uploadOf('new'));

    clock.advance(99_000);
    const before = await fetch(url);
    clock.advance(1_000);
    const after = await fetch(url);

    expect(expiresAt?.getTime()).toBe(clock.now());
    expect(await before.text()).toBe('new');
    expect(after.status).toBe(403);
  });

  it('that is temporary serves nothing when it is altered', async () => {
    const { direct, bucket } = await startEmbeddedServer();
    await direct.putObject(bucket, 'a', uploadOf('a'));
    await direct.putObject(bucket, 'b', uploadOf('b'));
    const { url } = await direct.getLink(bucket, 'a');

    const expires = /Expires=(\d+)/.exec(url)?.[1] ?? '';
    for (const altered of [
      url.replace('/a?', '/b?'),
      url.replace(expires, String(Number(expires) + 1)),
      url.replace(/Signature=./, 'Signature=!'),
      url.replace(/&Key-Pair-Id=.*/, ''),
      url.replace(/\?.*/, ''),
    ])
      expect((await fetch(altered)).status).toBe(403);
    expect((await fetch(url.replace('/private/', '/public/'))).status).toBe(404);
  });

  it('is gone with its file', async () => {
    const { direct, bucket } = await startEmbeddedServer();
    await direct.putObject(bucket, 'a', uploadOf('a'));
    const { url: temporary } = await direct.getLink(bucket, 'a');
    await direct.setVisibility(bucket, 'a', 'public');
    const { url: permanent } = await direct.getLink(bucket, 'a');

    await direct.deleteObject(bucket, 'a');

    expect((await fetch(temporary)).status).toBe(404);
    expect((await fetch(permanent)).status).toBe(404);
  });
});
