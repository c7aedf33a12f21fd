/** SEMANTICS: others change a file while a request about it waits: between two of its tries, or for its turn. */
import { describe, expect, it } from 'vitest';
import type { FileSystemSettings } from '../../src/filesystem/settings.ts';
import { drained } from '../support/drained.ts';
import { holdNext } from '../support/hold-next.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import {
  edit,
  errnoOfCall,
  LogForTest,
  openToRead,
  openToRewrite,
  setXattr,
  writeAt,
} from '../support/program-acts.ts';
import { textOf, textOfConflictCopy, visibilityOf } from '../support/stored-state.ts';
import { TriedTwice, type BetweenTries, type FirstTry } from '../support/tried-twice.ts';

interface Scene extends FileSystemForTest {
  /** The next such request has two tries. */
  readonly betweenTries: (next: BetweenTries) => void;
}

/** With `f`, which is listed and of which nothing is trusted for long. */
async function withFile(settings: Partial<FileSystemSettings> = {}, log = new LogForTest()): Promise<Scene> {
  const tries: TriedTwice[] = [];
  const scene = await openForTest({
    settings: { metadataTtl: 0, ...settings },
    log,
    between: (service) => {
      const twice = new TriedTwice(service);
      tries.push(twice);
      return twice;
    },
  });
  await scene.foreignWrite('f', 'base');
  await names(scene.fs, '/');
  const betweenTries = (next: BetweenTries): void => {
    for (const twice of tries) twice.next = next;
  };
  return { ...scene, betweenTries };
}

const undone: readonly FirstTry[] = ['refused', 'never sent'];
const ends: readonly FirstTry[] = [...undone, 'done'];

describe('an edit whose upload is tried again', () => {
  it.each(ends.flatMap((first) => [false, true].map((writeBack) => ({ first, writeBack }))))(
    'is kept beside what others store meanwhile (first try $first, write-back $writeBack) [conflict/tries]',
    async ({ first, writeBack }) => {
      const scene = await withFile({ writeBack });
      const meanwhile = (): Promise<void> => scene.foreignWrite('f', 'theirs');
      scene.betweenTries({ operation: 'putObject', key: 'f', first, meanwhile });

      await edit(scene.fs, '/f', 'B', 0);
      await drained(scene.mounted);

      await expect.poll(() => textOfConflictCopy(scene)).toBe('Base');
      expect(await textOf(scene, 'f')).toBe('theirs');
    },
  );

  it.each(ends)('is stored where nobody else stores anything (first try %s)', async (first) => {
    const scene = await withFile();
    scene.betweenTries({ operation: 'putObject', key: 'f', first, meanwhile: () => Promise.resolve() });

    await edit(scene.fs, '/f', 'B', 0);

    expect(await textOf(scene, 'f')).toBe('Base');
    expect(await names(scene.fs, '/')).toEqual(['f']);
  });

  it('is refused with conflict=fail, and what others have stored stays [conflict/setting]', async () => {
    const scene = await withFile({ conflict: 'fail' });
    const meanwhile = (): Promise<void> => scene.foreignWrite('f', 'theirs');
    scene.betweenTries({ operation: 'putObject', key: 'f', first: 'refused', meanwhile });

    expect(await errnoOfCall(edit(scene.fs, '/f', 'B', 0))).toBe('ESTALE');

    expect(await textOf(scene, 'f')).toBe('theirs');
  });
});

it('an edit that waits for its turn behind other uploads is kept beside what others store meanwhile [conflict/tries]', async () => {
  const scene = await openForTest();
  const { fs } = scene;
  await scene.foreignWrite('f', 'base');
  const others = Array.from({ length: 8 }, (_, number) => `/other${number}`);
  const uploads = others.map(() => holdNext(scene.service, 'putObject')).reverse();
  const writing = others.map((path) => writeFile(fs, path, 'x'));
  await Promise.all(uploads.map(({ begun }) => begun));
  const look = holdNext(scene.service, 'headObject');
  const editing = edit(fs, '/f', 'B', 0);
  await look.begun;
  look.letGo();
  // It has looked, and waits.
  await new Promise((resolve) => setTimeout(resolve, 50));

  await scene.foreignWrite('f', 'theirs');
  for (const { letGo } of uploads) letGo();
  await Promise.all([...writing, editing]);

  expect(await textOf(scene, 'f')).toBe('theirs');
  expect(await textOfConflictCopy(scene)).toBe('Base');
});

describe('a file whose deletion is tried again', () => {
  it.each(ends)(
    'stays when others store another meanwhile (first try %s) [write-back/version]',
    async (first) => {
      const log = new LogForTest();
      const scene = await withFile({ writeBack: true }, log);
      const meanwhile = (): Promise<void> => scene.foreignWrite('f', 'theirs');
      scene.betweenTries({ operation: 'deleteObject', key: 'f', first, meanwhile });

      await scene.fs.unlink('/f');
      scene.clock.advance(200);

      await drained(scene.mounted).catch(() => undefined);
      await expect.poll(() => log.about('has deleted stays')).toHaveLength(1);
      expect(await textOf(scene, 'f')).toBe('theirs');
    },
  );

  it.each(ends)(
    'stays without write-back, too, and its program hears of it (first try %s) [conflict/tries]',
    async (first) => {
      const scene = await withFile();
      const meanwhile = (): Promise<void> => scene.foreignWrite('f', 'theirs');
      scene.betweenTries({ operation: 'deleteObject', key: 'f', first, meanwhile });

      expect(await errnoOfCall(scene.fs.unlink('/f'))).toBe('EIO');

      expect(await textOf(scene, 'f')).toBe('theirs');
      expect(await names(scene.fs, '/')).toEqual(['f']);
    },
  );

  it.each(ends)('goes where nobody else stores anything (first try %s)', async (first) => {
    const scene = await withFile();
    scene.betweenTries({ operation: 'deleteObject', key: 'f', first, meanwhile: () => Promise.resolve() });

    await scene.fs.unlink('/f');

    expect(await names(scene.fs, '/')).toEqual([]);
  });
});

it.each(ends)(
  'what others store under the old name of a file that is renamed stays (first try of the deletion %s) [rename/version]',
  async (first) => {
    const scene = await withFile();
    const meanwhile = (): Promise<void> => scene.foreignWrite('f', 'theirs');
    scene.betweenTries({ operation: 'deleteObject', key: 'f', first, meanwhile });

    const code = await errnoOfCall(scene.fs.rename('/f', '/g', false));

    expect(code).toBe(first === 'never sent' ? 'ESTALE' : 'EIO');
    expect(await textOf(scene, 'f')).toBe('theirs');
    // Where the deletion may have been done the copy is the only one of what was renamed.
    expect(await names(scene.fs, '/')).toEqual(first === 'never sent' ? ['f'] : ['f', 'g']);
  },
);

describe('the link of a file whose upload is tried again', () => {
  async function rewritten(
    first: FirstTry,
    from: 'public' | 'private',
    to: 'public' | 'private',
  ): Promise<string> {
    const scene = await withFile();
    const { direct, bucket, fs } = scene;
    await direct.setVisibility(bucket, 'f', from);
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'new');
    const meanwhile = async (): Promise<void> => {
      await direct.setVisibility(bucket, 'f', to);
    };
    scene.betweenTries({ operation: 'putObject', key: 'f', first, meanwhile });

    await fs.flush(handle);
    await fs.release(handle);

    expect(await textOf(scene, 'f')).toBe('new');
    return visibilityOf(scene, 'f');
  }

  it.each(undone)(
    'stays down when others take it down meanwhile (first try %s) [visibility/preserve]',
    async (first) => {
      expect(await rewritten(first, 'public', 'private')).toBe('private');
    },
  );

  it.each(undone)(
    'stays when others publish it meanwhile (first try %s) [visibility/preserve]',
    async (first) => {
      expect(await rewritten(first, 'private', 'public')).toBe('public');
    },
  );

  it('is restored when the first try has taken it down [visibility/preserve]', async () => {
    expect(await rewritten('done', 'public', 'private')).toBe('public');
  });

  it('is not given to what others store before it is restored [visibility/preserve]', async () => {
    const scene = await withFile();
    await scene.direct.setVisibility(scene.bucket, 'f', 'public');
    const meanwhile = (): Promise<void> => scene.foreignWrite('f', 'theirs');
    scene.betweenTries({ operation: 'setVisibility', key: 'f', first: 'refused', meanwhile });

    expect(await errnoOfCall(writeFile(scene.fs, '/f', 'new'))).toBe('EIO');

    expect(await textOf(scene, 'f')).toBe('theirs');
    expect(await visibilityOf(scene, 'f')).toBe('private');
  });
});

it('a link that others take down between two tries of the same bytes of another type stays down [conflict/tries]', async () => {
  const scene = await withFile();
  const { direct, bucket } = scene;
  await direct.setVisibility(bucket, 'f', 'public');
  const meanwhile = async (): Promise<void> => {
    await direct.setVisibility(bucket, 'f', 'private');
  };
  scene.betweenTries({ operation: 'putObject', key: 'f', first: 'never sent', meanwhile });

  await setXattr(scene.fs, '/f', 'user.mime_type', 'text/x-new');

  expect(await direct.headObject(bucket, 'f')).toMatchObject({ contentType: 'text/x-new' });
  expect(await visibilityOf(scene, 'f')).toBe('private');
});

it('the link that a try of the same bytes of another type has taken down is restored [visibility/preserve]', async () => {
  const scene = await withFile();
  const { direct, bucket } = scene;
  await direct.setVisibility(bucket, 'f', 'public');
  const nothing = (): Promise<void> => Promise.resolve();
  scene.betweenTries({ operation: 'putObject', key: 'f', first: 'done', meanwhile: nothing });

  await setXattr(scene.fs, '/f', 'user.mime_type', 'text/x-new');

  expect(await visibilityOf(scene, 'f')).toBe('public');
});

it('what a name shows goes after a second try, though a program has an older version open', async () => {
  const scene = await withFile();
  const reader = await openToRead(scene.fs, '/f');
  await scene.foreignWrite('f', 'theirs!');
  await names(scene.fs, '/');
  const nothing = (): Promise<void> => Promise.resolve();
  scene.betweenTries({ operation: 'deleteObject', key: 'f', first: 'refused', meanwhile: nothing });

  await scene.fs.unlink('/f');

  expect(await textOf(scene, 'f')).toBe('(none)');
  await scene.fs.release(reader);
});

it('a link that others take down while an upload fails stays down when that is tried later [visibility/preserve]', async () => {
  const scene = await withFile();
  const { direct, bucket, faults, fs } = scene;
  await direct.setVisibility(bucket, 'f', 'public');
  faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 } });
  const handle = await openToRewrite(fs, '/f');
  await writeAt(fs, handle, 'new');
  expect(await errnoOfCall(fs.fsync(handle))).toBe('EIO');

  await direct.setVisibility(bucket, 'f', 'private');
  await fs.fsync(handle);
  await fs.release(handle);

  expect(await textOf(scene, 'f')).toBe('new');
  expect(await visibilityOf(scene, 'f')).toBe('private');
});

it.each([
  { from: 'public', to: 'private' },
  { from: 'private', to: 'public' },
] as const)(
  'what others make $to of a $from file between two tries of an upload that has failed before stays so [conflict/tries]',
  async ({ from, to }) => {
    const scene = await withFile();
    const { direct, bucket, faults, fs } = scene;
    await direct.setVisibility(bucket, 'f', from);
    faults.add({ operation: 'putObject', fault: { kind: 'status', status: 503 } });
    const handle = await openToRewrite(fs, '/f');
    await writeAt(fs, handle, 'new');
    expect(await errnoOfCall(fs.fsync(handle))).toBe('EIO');
    const meanwhile = async (): Promise<void> => {
      await direct.setVisibility(bucket, 'f', to);
    };
    scene.betweenTries({ operation: 'putObject', key: 'f', first: 'refused', meanwhile });

    await fs.fsync(handle);
    await fs.release(handle);

    expect(await textOf(scene, 'f')).toBe('new');
    expect(await visibilityOf(scene, 'f')).toBe(to);
  },
);

it.each(ends)(
  'what others store between two tries of publishing a file is not published (first try %s) [conflict/tries]',
  async (first) => {
    const scene = await withFile();
    const meanwhile = (): Promise<void> => scene.foreignWrite('f', 'theirs');
    scene.betweenTries({ operation: 'setVisibility', key: 'f', first, meanwhile });

    expect(await errnoOfCall(setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public'))).toBe('EIO');

    expect(await visibilityOf(scene, 'f')).toBe('private');
  },
);

it.each(ends)(
  'a file is published by a second try where nobody else stores anything (first try %s)',
  async (first) => {
    const scene = await withFile();
    const nothing = (): Promise<void> => Promise.resolve();
    scene.betweenTries({ operation: 'setVisibility', key: 'f', first, meanwhile: nothing });

    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public');

    expect(await visibilityOf(scene, 'f')).toBe('public');
  },
);
