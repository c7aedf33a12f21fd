/** SEMANTICS: a DELETE whose end nobody knows is done after what a program did next. What the program did next lasts. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/service/refusal.ts';
import type { ObjectService } from '../../src/service/object-service.ts';
import { drained } from '../support/drained.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile, type FileSystemForTest } from '../support/open-for-test.ts';
import { edit, errnoOfCall } from '../support/program-acts.ts';
import { textOf, textOfConflictCopy, textsOf, visibilityOf } from '../support/stored-state.ts';
import { TriedTwice } from '../support/tried-twice.ts';

/** Something on the way to the service answers the first DELETEs of `key` itself, and the service hears of the first when it `arrives`. */
class HeldDeletion {
  readonly #key: string;
  readonly #answered: number;
  #held: (() => Promise<unknown>) | null = null;
  #seen = 0;
  #isAfterPut = false;

  constructor(key: string, answered = 1) {
    this.#key = key;
    this.#answered = answered;
  }

  readonly between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async (call, proceed) => {
      if (call.operation === 'deleteObject' && call.key === this.#key && this.#seen < this.#answered) {
        this.#seen += 1;
        this.#held ??= proceed;
        throw new Refusal('unavailable', 'the service answered 504', {
          operation: 'deleteObject',
          status: 504,
        });
      }
      const answer = await proceed();
      if (call.operation === 'putObject' && this.#isAfterPut) await this.arrives();
      return answer;
    });

  /** It will arrive between the next upload and its answer. */
  arrivesAfterPut(): void {
    this.#isAfterPut = true;
  }

  async arrives(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    await held?.();
  }
}

function sinceUpload(asked: readonly string[]): readonly string[] {
  return asked.slice(asked.indexOf('putObject a'));
}

it.each(['here', 'by others'])(
  'the same bytes, stored %s before, are stored again when the unlink had no answer [write/unknown]',
  async (where) => {
    const deletion = new HeldDeletion('a');
    const scene = await openForTest(deletion);
    if (where === 'here') await writeFile(scene.fs, '/a', 'bytes');
    else await scene.foreignWrite('a', 'bytes');
    await names(scene.fs, '/');
    expect(await errnoOfCall(scene.fs.unlink('/a'))).toBe('EIO');
    await scene.fs.getAttributes('/a');
    scene.clock.advance(1000);
    await deletion.arrives();

    await writeFile(scene.fs, '/a', 'bytes');

    expect(await textsOf(scene)).toEqual({ a: 'bytes' });
  },
);

describe('when the DELETE of a rename has no answer, and is done later', () => {
  it('it is asked for again, so that the rename is whole [rename/undo]', async () => {
    const deletion = new HeldDeletion('a');
    const scene = await openForTest(deletion);
    await scene.foreignWrite('a', 'precious');
    await names(scene.fs, '/');

    await scene.fs.rename('/a', '/b', false);
    await deletion.arrives();

    expect(await textsOf(scene)).toEqual({ b: 'precious' });
  });

  it('and nor has the next, the copy of the file stays, though a look has found the old one there [rename/undo]', async () => {
    const deletion = new HeldDeletion('a', 2);
    const scene = await openForTest(deletion);
    await scene.foreignWrite('a', 'precious');
    await names(scene.fs, '/');

    expect(await errnoOfCall(scene.fs.rename('/a', '/b', false))).toBe('EIO');
    expect(await textsOf(scene)).toEqual({ a: 'precious', b: 'precious' });

    await deletion.arrives();
    expect(await textsOf(scene)).toEqual({ b: 'precious' });
  });

  it('so do those of a folder [rename/undo]', async () => {
    const deletion = new HeldDeletion('d/a', 2);
    const scene = await openForTest(deletion);
    await scene.foreignWrite('d/a', 'precious');
    await names(scene.fs, '/');

    expect(await errnoOfCall(scene.fs.rename('/d', '/e', false))).toBe('EIO');
    await deletion.arrives();

    expect(Object.values(await textsOf(scene))).toEqual(['precious']);
  });
});

describe('when the DELETE of an unlink has no answer, and is done after what is stored next', () => {
  it('a file made anew there is stored again [write/unknown]', async () => {
    const deletion = new HeldDeletion('a');
    const scene = await openForTest(deletion);
    await scene.foreignWrite('a', 'old');
    await names(scene.fs, '/');
    expect(await errnoOfCall(scene.fs.unlink('/a'))).toBe('EIO');
    deletion.arrivesAfterPut();
    scene.asked();

    await writeFile(scene.fs, '/a', 'new');

    expect(sinceUpload(scene.asked())).toEqual([
      'putObject a',
      'deleteObject a',
      'headObject a',
      'putObject a',
      'headObject a',
    ]);
    expect(await textsOf(scene)).toEqual({ a: 'new' });
  });

  it('so is one after a second try that was answered [write/unknown]', async () => {
    const late: (() => Promise<unknown>)[] = [];
    const scene = await openForTest({
      between: (inner) =>
        new InterceptedService(inner, async ({ operation }, proceed) => {
          const answer = await proceed();
          // The client has tried twice: the first try is still on its way.
          if (operation === 'deleteObject' && late.push(proceed) === 1)
            Object.assign(answer as object, { mayArriveAgain: true });
          if (operation === 'putObject') await late.pop()?.();
          return answer;
        }),
    });
    await scene.foreignWrite('a', 'old');
    await names(scene.fs, '/');
    await scene.fs.unlink('/a');

    await writeFile(scene.fs, '/a', 'new');

    expect(await textsOf(scene)).toEqual({ a: 'new' });
  });

  it('so is one that is renamed there [write/unknown]', async () => {
    const deletion = new HeldDeletion('a');
    const scene = await openForTest(deletion);
    await scene.foreignWrite('a', 'old');
    await scene.foreignWrite('b', 'new');
    await names(scene.fs, '/');
    expect(await errnoOfCall(scene.fs.unlink('/a'))).toBe('EIO');
    deletion.arrivesAfterPut();

    await scene.fs.rename('/b', '/a', false);

    expect(await textsOf(scene)).toEqual({ a: 'new' });
  });

  it('so is one that goes up in the background [write/unknown]', async () => {
    const deletion = new HeldDeletion('a');
    const scene = await openForTest({ between: deletion.between, settings: { writeBack: true } });
    await scene.foreignWrite('a', 'old');
    await names(scene.fs, '/');
    await scene.fs.unlink('/a');
    await expect
      .poll(async () => (await scene.mounted.unsent.list()).map(({ state }) => state))
      .toContain('end unknown');
    deletion.arrivesAfterPut();

    await writeFile(scene.fs, '/a', 'new');
    await drained(scene.mounted);

    expect(await textsOf(scene)).toEqual({ a: 'new' });
    expect(await scene.mounted.unsent.list()).toEqual([]);
  });

  it('and never is, the next save costs one look, and the save after it none [write/unknown]', async () => {
    const scene = await openForTest(new HeldDeletion('a'));
    await scene.foreignWrite('a', 'old');
    await names(scene.fs, '/');
    expect(await errnoOfCall(scene.fs.unlink('/a'))).toBe('EIO');
    scene.asked();

    await writeFile(scene.fs, '/a', 'newer');
    const next = scene.asked();
    await writeFile(scene.fs, '/a', 'newest');

    expect(sinceUpload(next)).toEqual(['putObject a', 'headObject a']);
    expect(scene.asked()).toEqual(['putObject a']);
  });
});

describe('when an edit is stored again since such a DELETE was done after it, by two tries', () => {
  /** Of `/a`, which is public; between the two tries comes `meanwhile`. */
  async function editedTwice(
    meanwhile: (scene: FileSystemForTest) => Promise<void>,
  ): Promise<FileSystemForTest> {
    const deletion = new HeldDeletion('a');
    const tries: TriedTwice[] = [];
    const between = (service: ObjectService): ObjectService => {
      const twice = new TriedTwice(deletion.between(service));
      tries.push(twice);
      return twice;
    };
    const scene = await openForTest({ between, settings: { metadataTtl: 0 } });
    const nextUpload = (during: () => Promise<void>): void => {
      for (const twice of tries)
        twice.next = { operation: 'putObject', key: 'a', first: 'never sent', meanwhile: during };
    };
    await scene.foreignWrite('a', 'base');
    await scene.direct.setVisibility(scene.bucket, 'a', 'public');
    expect(await errnoOfCall(scene.fs.unlink('/a'))).toBe('EIO');
    deletion.arrivesAfterPut();
    nextUpload(() => {
      nextUpload(() => meanwhile(scene));
      return Promise.resolve();
    });
    await edit(scene.fs, '/a', 'B', 0);
    return scene;
  }

  it('what others store meanwhile stays, and the edit beside it [conflict/tries]', async () => {
    const scene = await editedTwice(({ foreignWrite }) => foreignWrite('a', 'theirs'));

    expect(await textOf(scene, 'a')).toBe('theirs');
    expect(await textOfConflictCopy(scene)).toBe('Base');
  });

  it('it keeps its link where nobody else stores anything [visibility/preserve]', async () => {
    const scene = await editedTwice(() => Promise.resolve());

    expect(await textsOf(scene)).toEqual({ a: 'Base' });
    expect(await visibilityOf(scene, 'a')).toBe('public');
  });
});
