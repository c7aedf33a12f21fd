/** What is promised about visibility and links? (§3.2, §4.12 to §4.14) */
import { expect, it } from 'vitest';
import { uploadOf } from '../support/embedded-service.ts';
import { LINK_LIFETIME, type Setup } from './contract-setup.ts';

const KEY = 'letters/ä b.txt';

export function visibilityContract(setup: () => Promise<Setup>): void {
  it('makes a file private, public and private again, with the links of each state (§3.2)', async () => {
    const { service, bucket, clock } = await setup();
    await service.putObject(bucket, KEY, uploadOf('x'));

    const first = await service.getVisibility(bucket, KEY);
    const open = await service.setVisibility(bucket, KEY, 'public');
    const asked = await service.getVisibility(bucket, KEY);
    const closed = await service.setVisibility(bucket, KEY, 'private');

    const expires = (Math.floor(clock.now() / 1000) + LINK_LIFETIME) * 1000;
    for (const record of [first, closed]) {
      expect(record).toMatchObject({ key: KEY, visibility: 'private', url: null });
      expect(record.shareUrl).toMatch(
        new RegExp(
          `/private/${bucket}/letters/%C3%A4%20b\\.txt\\?Expires=\\d+&Signature=[^&]+&Key-Pair-Id=[^&]+$`,
        ),
      );
      expect(record.shareExpiresAt?.getTime()).toBe(expires);
    }
    expect(open).toMatchObject({ key: KEY, visibility: 'public', shareUrl: null, shareExpiresAt: null });
    expect(open.url).toMatch(new RegExp(`/public/${bucket}/letters/%C3%A4%20b\\.txt$`));
    expect(asked).toEqual(open);
  });

  it('turns a public file private when it is replaced (§3.2)', async () => {
    const { service, bucket } = await setup();
    await service.putObject(bucket, KEY, uploadOf('x'));
    await service.setVisibility(bucket, KEY, 'public');

    await service.putObject(bucket, KEY, uploadOf('y'));

    expect((await service.getVisibility(bucket, KEY)).visibility).toBe('private');
  });

  it("gives one link that suits the file's state (§4.14)", async () => {
    const { service, bucket } = await setup();
    await service.putObject(bucket, KEY, uploadOf('x'));

    const temporary = await service.getLink(bucket, KEY);
    const { url } = await service.setVisibility(bucket, KEY, 'public');
    const permanent = await service.getLink(bucket, KEY);

    expect(temporary).toMatchObject({ bucket, key: KEY, visibility: 'private' });
    expect(temporary.expiresAt).not.toBeNull();
    expect(temporary.url).toContain('/private/');
    expect(permanent).toEqual({ bucket, key: KEY, visibility: 'public', url, expiresAt: null });
  });

  it('says of a missing file that it is missing, or as it is switched (§4.14)', async () => {
    const { service, bucket, behaviours } = await setup();
    const status = behaviours.missingVisibility;
    const refusal = { kind: status === 404 ? 'missing' : 'rejected', status };

    await expect(service.getLink(bucket, 'nothing')).rejects.toMatchObject({ kind: 'missing', status: 400 });
    await expect(service.getVisibility(bucket, 'nothing')).rejects.toMatchObject(refusal);
    await expect(service.setVisibility(bucket, 'nothing', 'public')).rejects.toMatchObject(refusal);
  });
}
