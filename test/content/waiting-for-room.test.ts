/** Who waits for room, for how long, and who is served first? */
import { describe, expect, it } from 'vitest';
import { NoRoom } from '../../src/content/space-account.ts';
import { growWaiting, NO_SPACE, settle, setup, watched } from './budget-for-test.ts';

describe('a space budget with nothing left', () => {
  it('answers who does not wait at once, though others wait: an upload may need what he holds', async () => {
    const { budget } = setup(1000);
    const [uploaded, other] = [budget.open(1000), budget.open()];
    uploaded.setLeaving(true);
    const waiting = watched(budget.roomFor(200));
    await settle();

    await expect(other.grow(300)).rejects.toMatchObject({ ...NO_SPACE, mayPass: true });

    expect(waiting.outcome).toBe('waits');
    uploaded.close();
  });

  it('leaves what becomes free to those who wait for it: small writes do not overtake a large one', async () => {
    const { budget } = setup(1000);
    const [uploaded, large, small] = [budget.open(1000), budget.open(), budget.open()];
    uploaded.setLeaving(true);
    const waiting = watched(growWaiting(budget, large, 500));
    await settle();

    uploaded.shrinkTo(700);
    await expect(small.grow(100)).rejects.toMatchObject({ ...NO_SPACE, mayPass: true });
    const atOnce = small.take(100);
    const before = waiting.outcome;
    uploaded.shrinkTo(500);
    await settle();

    expect([atOnce, before, waiting.outcome, large.held]).toEqual([false, 'waits', 'done', 500]);
    uploaded.shrinkTo(400);
    await small.grow(100);
  });

  it('serves three who wait in turn, each time that one upload frees what one of them wants', async () => {
    const { budget, clock } = setup(1000);
    const uploaded = budget.open(1000);
    uploaded.setLeaving(true);
    const served = ['a', 'b', 'c'].map((name) => ({ name, account: budget.open(), count: 0 }));
    let isOver = false;
    const writing = served.map(async (one) => {
      for (; !isOver; one.count += 1) await growWaiting(budget, one.account, 100);
    });
    await settle();

    for (let left = 900; left >= 100; left -= 100) {
      uploaded.shrinkTo(left);
      await settle();
    }
    const counts = served.map(({ count }) => count);
    isOver = true;
    uploaded.close();

    expect(counts).toEqual([3, 3, 3]);
    await settle();
    clock.advance(1000);
    await Promise.allSettled(writing);
  });

  it('gives no hope once uploads have only failed for a minute, and none is under way', async () => {
    const { budget, clock } = setup(1000);
    const [failing, long] = [budget.open(500), budget.open(500)];
    for (const account of [failing, long]) account.setLeaving(true);
    const ended = long.uploading();
    failing.uploading()(false);
    clock.advance(60_000);
    const whileOneIsUnderWay = watched(growWaiting(budget, budget.open(), 200));
    await settle();
    const before = whileOneIsUnderWay.outcome;

    ended(false);
    clock.advance(1000);
    await settle();

    expect([before, whileOneIsUnderWay.outcome]).toEqual(['waits', 'refused']);
  });

  it('gives hope again when an upload has arrived, or nothing waits any more', async () => {
    const { budget, clock } = setup(1000);
    const [one, other] = [budget.open(500), budget.open(500)];
    const outcomes: string[] = [];
    for (const end of [
      () => {
        one.uploading()(true);
      },
      () => {
        one.setLeaving(false);
      },
    ]) {
      one.setLeaving(true);
      one.uploading()(false);
      end();
      other.setLeaving(true);
      clock.advance(60_000);
      const waiting = watched(growWaiting(budget, budget.open(), 200));
      await settle();
      outcomes.push(waiting.outcome);
      other.setLeaving(false);
    }

    expect(outcomes).toEqual(['waits', 'waits']);
  });

  it('gives hope for a moment after bytes have left: they are noted down before they go from the disk', async () => {
    const { budget, clock } = setup(1000);
    const uploaded = budget.open(900);
    uploaded.setLeaving(true);
    const waiting = watched(growWaiting(budget, budget.open(), 200));
    await settle();

    uploaded.setLeaving(false);
    clock.advance(900);
    await settle();
    const meanwhile = waiting.outcome;
    uploaded.close();
    await settle();

    expect([meanwhile, waiting.outcome]).toEqual(['waits', 'done']);
  });

  it('gives hope on when the process could not run for a minute: nothing could arrive meanwhile', async () => {
    const { budget, clock } = setup(1000);
    const failing = budget.open(1000);
    failing.setLeaving(true);
    failing.uploading()(false);

    clock.standStill(60_000);
    const waiting = watched(growWaiting(budget, budget.open(), 200));
    await settle();
    const before = waiting.outcome;
    clock.advance(60_000);
    await settle();

    expect([before, waiting.outcome]).toEqual(['waits', 'refused']);
  });

  it('gives hope on when the process could not run since bytes have left: they are noted down when it can', async () => {
    const { budget, clock } = setup(1000);
    const uploaded = budget.open(900);
    uploaded.setLeaving(true);
    uploaded.setLeaving(false);

    clock.standStill(5000);
    const waiting = watched(growWaiting(budget, budget.open(), 200));
    await settle();
    const before = waiting.outcome;
    uploaded.close();
    await settle();

    expect([before, waiting.outcome]).toEqual(['waits', 'done']);
  });

  it('lets nobody wait for more than there will ever be', async () => {
    const { budget, clock } = setup(1000);
    const [uploaded, open] = [budget.open(300), budget.open(500)];
    uploaded.setLeaving(true);
    clock.advance(2000);

    await expect(budget.open().grow(1001)).rejects.toMatchObject({ ...NO_SPACE, mayPass: false });
    await expect(budget.open().grow(501)).rejects.toMatchObject({ ...NO_SPACE, mayPass: false });
    await expect(budget.open().grow(500)).rejects.toMatchObject({ ...NO_SPACE, mayPass: true });
    open.close();
  });

  it('refuses no copy, whose owner cannot wait, because others wait for more', async () => {
    const { budget } = setup(1000);
    const uploaded = budget.open(900);
    uploaded.setLeaving(true);
    void budget.roomFor(200);
    await settle();

    await expect(budget.open().grow(50)).rejects.toMatchObject({ ...NO_SPACE, mayPass: true });
    await budget.openForCopy().grow(50);
    uploaded.close();
  });

  it('says when to ask again: there is room, or no hope; it keeps none for who asked', async () => {
    const { budget, clock } = setup(1000);
    const uploaded = budget.open(900);
    uploaded.setLeaving(true);

    const asking = watched(budget.roomFor(200));
    await settle();
    const before = asking.outcome;
    uploaded.setLeaving(false);
    clock.advance(1000);
    await settle();
    await budget.roomFor(100);

    expect([before, asking.outcome, budget.used]).toEqual(['waits', 'done', 900]);
  });

  it('lets 128 wait, each with what it holds in memory: for more there is no hope', async () => {
    const { budget, clock } = setup(1000);
    const uploaded = budget.open(1000);
    uploaded.setLeaving(true);
    const hope = (): Promise<unknown> =>
      budget
        .open()
        .grow(1)
        .catch((error: unknown) => (error instanceof NoRoom ? error.mayPass : error));

    const waiting = Array.from({ length: 127 }, () => budget.roomFor(1));
    const withOnePlace = await hope();
    waiting.push(budget.roomFor(1));
    const without = await hope();
    uploaded.close();
    for (const told of waiting) {
      await settle();
      // None of them asks again, for which the next one is held up for a while.
      clock.advance(1000);
      await told;
    }

    expect([withOnePlace, without]).toEqual([true, false]);
  });
});
