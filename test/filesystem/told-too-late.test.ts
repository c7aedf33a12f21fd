/** SEMANTICS: what was told before a program set who may fetch a file is about how it was before, whether that answer comes late or its own is lost. */
import { describe, expect, it } from 'vitest';
import type { ObjectService } from '../../src/service/object-service.ts';
import type { Visibility } from '../../src/service/records.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { InterceptedService } from '../support/intercepted-service.ts';
import { names, openForTest } from '../support/open-for-test.ts';
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

it('a file is made private for good, though a request to make it public is done after that [xattr/private]', async () => {
  let held: (() => Promise<unknown>) | null = null;
  const scene = await openForTest({
    between: (inner) =>
      new InterceptedService(inner, async ({ operation }, proceed) => {
        if (operation !== 'setVisibility') return proceed();
        if (held === null) {
          held = proceed;
          throw new Refusal('unavailable', 'the service answered 504', { operation, status: 504 });
        }
        const answer = await proceed();
        const late = held;
        held = () => Promise.resolve();
        await late();
        return answer;
      }),
  });
  await scene.foreignWrite('f', 'bytes');
  await names(scene.fs, '/');

  expect(await errnoOfCall(setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'public'))).toBe('EIO');
  await setXattr(scene.fs, '/f', 'user.pailfs.visibility', 'private');

  expect(await visibilityOf(scene, 'f')).toBe('private');
  expect(await xattr(scene.fs, '/f', 'user.pailfs.visibility')).toBe('private');
});
