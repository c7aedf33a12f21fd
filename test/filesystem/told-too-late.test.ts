/** SEMANTICS: what was told before a program set who may fetch a file is about how it was before, whether that answer comes late or its own is lost. */
import { describe, expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { Visibility } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest, writeFile } from '../support/open-for-test.ts';
import { edit, errnoOfCall, setXattr, xattr } from '../support/program-acts.ts';
import { signal } from '../support/signal.ts';
import { visibilityOf } from '../support/stored-state.ts';

/** The first answer to a question for the visibility of a file comes when it is let go. */
function heldAnswer() {
  const [made, arrival] = [signal(), signal()];
  let isHeld = false;
  const between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async ({ operation }, proceed) => {
      const answer = await proceed();
      if (operation !== 'getVisibility' || isHeld) return answer;
      isHeld = true;
      made.give();
      await arrival.given;
      return answer;
    });
  return { between, made: made.given, letGo: arrival.give };
}

const CHANGES: readonly { readonly before: Visibility; readonly wanted: Visibility }[] = [
  { before: 'public', wanted: 'private' },
  { before: 'private', wanted: 'public' },
];

describe('while somebody still waits to be told the visibility of a file', () => {
  it.each(CHANGES)(
    'a program makes it $wanted: so it is told, and so it is after the next save [visibility/preserve] [xattr/private]',
    async ({ before, wanted }) => {
      const answer = heldAnswer();
      const scene = await openForTest(answer);
      await scene.foreignWrite('f', 'bytes');
      await scene.direct.setVisibility(scene.bucket, 'f', before);
      await names(scene.fs, '/');
      const told = xattr(scene.fs, '/f', 'user.pailfs.visibility');
      await answer.made;
      scene.clock.advance(100);

      await setXattr(scene.fs, '/f', 'user.pailfs.visibility', wanted);
      answer.letGo();
      await told;

      expect(await xattr(scene.fs, '/f', 'user.pailfs.visibility')).toBe(wanted);
      await edit(scene.fs, '/f', 'B', 0);
      expect(await visibilityOf(scene, 'f')).toBe(wanted);
    },
  );
});

it.each(CHANGES)(
  'a program makes a $before file $wanted, and the answer is lost: so the file is, and so it is after the next save [visibility/preserve] [xattr/private]',
  async ({ before, wanted }) => {
    const scene = await openForTest();
    const { fs, faults } = scene;
    await scene.foreignWrite('f', 'bytes');
    await scene.direct.setVisibility(scene.bucket, 'f', before);
    await names(fs, '/');
    expect(await xattr(fs, '/f', 'user.pailfs.visibility')).toBe(before);
    faults.add({ operation: 'setVisibility', fault: { kind: 'lost-answer' } });

    expect(await errnoOfCall(setXattr(fs, '/f', 'user.pailfs.visibility', wanted))).toBe('EIO');

    expect(await visibilityOf(scene, 'f')).toBe(wanted);
    await edit(fs, '/f', 'B', 0);
    expect(await visibilityOf(scene, 'f')).toBe(wanted);
  },
);

/** The first publication has no answer, and is done after the next `operation`. */
function latePublication(after: string): { between: (inner: ObjectService) => ObjectService } {
  let held: (() => Promise<unknown>) | undefined;
  let isOver = false;
  const between = (inner: ObjectService): ObjectService =>
    new InterceptedService(inner, async ({ operation }, proceed) => {
      if (operation === 'setVisibility' && held === undefined) {
        held = proceed;
        throw new Refusal('unavailable', 'the service answered 504', { operation, status: 504 });
      }
      const answer = await proceed();
      if (operation !== after || held === undefined || isOver) return answer;
      isOver = true;
      await held();
      return answer;
    });
  return { between };
}

describe('when a request to make a file public has no answer, and is done after what came next', () => {
  it('a program that made it private has it private [xattr/private]', async () => {
    const scene = await openForTest(latePublication('setVisibility'));
    await scene.foreignWrite('f', 'bytes');
    await names(scene.fs, '/');
    expect(await errnoOfCall(setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public'))).toBe('EIO');

    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'private');

    expect(await visibilityOf(scene, 'f')).toBe('private');
    expect(await xattr(scene.fs, '/f', 'user.pailfs.visibility')).toBe('private');
  });

  it('the saves after it was seen to be private ask no more about that [visibility/preserve]', async () => {
    const scene = await openForTest(latePublication('setVisibility'));
    await scene.foreignWrite('f', 'bytes');
    await names(scene.fs, '/');
    expect(await errnoOfCall(setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public'))).toBe('EIO');
    await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'private');
    scene.asked();

    await writeFile(scene.fs, '/f', 'secret');

    expect(scene.asked()).toEqual(['putObject f']);
    expect(await visibilityOf(scene, 'f')).toBe('private');
  });

  it('another file that was made there is private [xattr/private]', async () => {
    const scene = await openForTest(latePublication('putObject'));
    await scene.foreignWrite('f', 'bytes');
    await names(scene.fs, '/');
    expect(await errnoOfCall(setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public'))).toBe('EIO');
    await scene.fs.unlink('/f');

    await writeFile(scene.fs, '/f', 'secret');

    expect(await visibilityOf(scene, 'f')).toBe('private');
  });
});
