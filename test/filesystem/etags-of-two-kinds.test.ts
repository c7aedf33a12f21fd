/** What is learned of ETags from some files holds for others only as far as it is safe, and costs no more than it must. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Download, ObjectService } from '../../src/service/object-service.ts';
import type { FileEntry, ObjectHead, ObjectPage } from '../../src/service/records.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';
import { edit, errnoOfCall, openToRead, textAt } from '../support/program-acts.ts';
import { textOf, visibilityOf } from '../support/stored-state.ts';

/** Keeps files whose name begins with `secret` encrypted: their ETags only look like MD5s. */
class HalfEncrypted extends InterceptedService {
  constructor(inner: ObjectService) {
    super(inner, (_call, proceed) => proceed());
  }

  override async listObjects(...asked: Parameters<ObjectService['listObjects']>): Promise<ObjectPage> {
    const page = await super.listObjects(...asked);
    return { ...page, objects: page.objects.map((entry) => encrypted(entry.key, entry)) };
  }

  override async headObject(...asked: Parameters<ObjectService['headObject']>): Promise<ObjectHead> {
    return encrypted(asked[1], await super.headObject(...asked));
  }

  override async getObject(...asked: Parameters<ObjectService['getObject']>): Promise<Download> {
    const download = await super.getObject(...asked);
    return { ...download, head: encrypted(asked[1], download.head) };
  }
}

function encrypted<Facts extends Pick<FileEntry, 'etag'>>(key: string, facts: Facts): Facts {
  if (!key.startsWith('secret')) return facts;
  return { ...facts, etag: createHash('md5').update(`secret ${facts.etag}`).digest('hex') };
}

it.each([
  ['encrypted files before and after', ['secret-1', 'plain', 'secret-2']],
  ['one that is not encrypted first', ['plain', 'secret']],
])('%s stay public when edited, and can be renamed [rename/copy]', async (_what, keys) => {
  const scene = await openForTest({ between: (service) => new HalfEncrypted(service) });
  const { fs, clock } = scene;
  for (const key of keys) {
    await scene.foreignWrite(key, key);
    await scene.direct.setVisibility(scene.bucket, key, 'public');
    clock.advance(11_000);
    await names(fs, '/');
    await edit(fs, `/${key}`, 'S', 0);
    expect(await visibilityOf(scene, key)).toBe('public');

    await fs.rename(`/${key}`, `/${key}-renamed`, false);

    expect(await textOf(scene, `${key}-renamed`)).toBe(`S${key.slice(1)}`);
  }
});

it('what others stored over an open file is fetched to be recognised only once where ETags are MD5s', async () => {
  const { fs, clock, asked, foreignWrite } = await openForTest({ settings: { cache: 'off' } });
  await writeFile(fs, '/a', 'ours!!');
  const handle = await openToRead(fs, '/a');
  await foreignWrite('a', 'theirs');
  for (let looks = 0; looks < 3; looks += 1) {
    clock.advance(11_000);
    await names(fs, '/');
    asked();
    await fs.getAttributes('/a');
    const later = await openToRead(fs, '/a');
    expect(await errnoOfCall(textAt(fs, handle))).toBe('ESTALE');
    expect(await textAt(fs, later)).toBe('theirs');
    // One for each of the two that read.
    if (looks > 0) expect(asked().filter((line) => line === 'getObject a')).toHaveLength(2);
    await fs.release(later);
  }
  await fs.release(handle);
});

it('and not at all once a listing has named a file of ours by its MD5', async () => {
  const serviceClock = new ManualClock(Date.UTC(2026, 0, 1));
  const { fs, clock, asked, foreignWrite } = await openForTest({
    settings: { cache: 'off' },
    store: { clock: serviceClock },
  });
  await writeFile(fs, '/first', 'ours');
  clock.advance(11_000);
  await names(fs, '/');
  await writeFile(fs, '/a', 'ours!!');
  const before = await openToRead(fs, '/a');
  serviceClock.advance(5000);
  await foreignWrite('a', 'theirs');
  clock.advance(11_000);
  await names(fs, '/');
  asked();

  const handle = await openToRead(fs, '/a');
  expect(await textAt(fs, handle)).toBe('theirs');

  expect(asked()).toEqual(['getObject a']);
  await fs.release(handle);
  await fs.release(before);
});
