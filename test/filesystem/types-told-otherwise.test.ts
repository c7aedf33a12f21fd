/** SEMANTICS: on a service that does not return a type as it was sent, an upload of ours is known again all the same. */
import { expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import { names, openForTest } from '../support/open-for-test.ts';
import { edit, openToRewrite, setXattr, writeAt } from '../support/program-acts.ts';
import { textOf, visibilityOf } from '../support/stored-state.ts';
import { TriedTwice } from '../support/tried-twice.ts';

type Told = (type: string | null) => string;

const withCharset: Told = (type) => `${type ?? ''}; charset=utf-8`;
const none: Told = () => 'application/octet-stream';

/** As `service`, but what it tells of a file's type is what `told` makes of it. */
function withTypes(service: ObjectService, told: Told): ObjectService {
  return new Proxy(service, {
    get(target, name) {
      if (name !== 'headObject') return (target[name as keyof ObjectService] as () => unknown).bind(target);
      return async (...request: Parameters<ObjectService['headObject']>) => {
        const head = await target.headObject(...request);
        return { ...head, contentType: told(head.contentType) };
      };
    },
  });
}

it.each(
  [withCharset, none].flatMap((told) =>
    (['md5', 'random'] as const).flatMap((etag) =>
      [true, false].map((isAnew) => ({ told, type: told('text/plain'), etag, isAnew })),
    ),
  ),
)(
  'a link that a try without an answer has taken down is restored ($type, ETags $etag, anew $isAnew) [visibility/preserve]',
  async ({ told, etag, isAnew }) => {
    const tries: TriedTwice[] = [];
    const scene = await openForTest({
      store: { behaviours: { etag } },
      settings: { metadataTtl: 0 },
      between: (service) => {
        const twice = new TriedTwice(withTypes(service, told));
        tries.push(twice);
        return twice;
      },
    });
    const { fs } = scene;
    await scene.foreignWrite('f.txt', 'base');
    await names(fs, '/');
    await setXattr(fs, '/f.txt', 'user.pailfs.visibility', 'public');
    const next = { operation: 'putObject', key: 'f.txt', first: 'done' } as const;
    for (const twice of tries) twice.next = { ...next, meanwhile: () => Promise.resolve() };

    if (isAnew) {
      const handle = await openToRewrite(fs, '/f.txt');
      await writeAt(fs, handle, 'Base', 0);
      await fs.flush(handle);
      await fs.release(handle);
    } else await edit(fs, '/f.txt', 'B', 0);

    expect(await textOf(scene, 'f.txt')).toBe('Base');
    expect(await visibilityOf(scene, 'f.txt')).toBe('public');
    expect(await names(fs, '/')).toEqual(['f.txt']);
  },
);
