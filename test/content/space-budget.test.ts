import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DiskSpace } from '../../src/content/local-files.ts';
import type { SpaceAccount } from '../../src/content/space-account.ts';
import { SpaceBudget } from '../../src/content/space-budget.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { propertySettings } from '../support/property-settings.ts';
import { FLOOR, growWaiting, NO_SPACE, settle, setup, TOTAL, watched } from './budget-for-test.ts';

describe('a space budget', () => {
  it('gives bytes up to its limit, refuses more, and gives again what came back', async () => {
    const { budget } = setup(1000);
    const [a, b] = [budget.open(), budget.open()];

    await a.grow(600);
    await b.grow(400);
    await expect(b.grow(1)).rejects.toMatchObject(NO_SPACE);
    a.shrinkTo(500);
    await b.grow(100);

    expect([a.held, b.held, budget.used]).toEqual([500, 500, 1000]);
  });

  it('leaves a twentieth of the disk free', async () => {
    const { budget, disk } = setup(Infinity, 2000);
    const account = budget.open();

    await account.grow(2000 - FLOOR);
    disk.free = FLOOR;

    await expect(account.grow(1)).rejects.toMatchObject(NO_SPACE);
  });

  it('looks at the disk again when it seems full, and when the last look is old', async () => {
    const { budget, disk, clock } = setup(Infinity, FLOOR);
    const account = budget.open();
    await expect(account.grow(100)).rejects.toMatchObject(NO_SPACE);

    disk.free = TOTAL;
    await account.grow(100);
    const looksBefore = disk.looks;
    await account.grow(100);
    const looksWhileFresh = disk.looks - looksBefore;
    disk.free = FLOOR;
    clock.advance(1001);

    await expect(account.grow(100)).rejects.toMatchObject(NO_SPACE);
    expect(looksWhileFresh).toBe(0);
  });

  it('lets a writer wait while bytes are on their way to the service, until they are gone', async () => {
    const { budget } = setup(1000);
    const [uploaded, writer] = [budget.open(), budget.open()];
    await uploaded.grow(900);
    uploaded.setLeaving(true);

    const growing = watched(growWaiting(budget, writer, 200));
    await settle();
    const before = growing.outcome;
    uploaded.close();
    await settle();

    expect([before, growing.outcome]).toEqual(['waits', 'done']);
    expect(budget.used).toBe(200);
  });

  it('refuses a writer who waits in vain: nothing is on its way, or no longer', async () => {
    const { budget, clock } = setup(1000);
    const [open, uploaded, writer] = [budget.open(900), budget.open(100), budget.open()];
    await expect(growWaiting(budget, writer, 200)).rejects.toMatchObject(NO_SPACE);
    uploaded.setLeaving(true);

    const growing = watched(growWaiting(budget, writer, 100));
    await settle();
    const before = growing.outcome;
    uploaded.setLeaving(false);
    clock.advance(1000);
    await settle();

    expect([before, growing.outcome]).toEqual(['waits', 'refused']);
    expect([open.held, budget.used]).toEqual([900, 1000]);
  });

  it('notices after a while that others made room on the disk', async () => {
    const { budget, disk, clock } = setup(Infinity, FLOOR);
    budget.open(200).setLeaving(true);
    const growing = watched(growWaiting(budget, budget.open(), 200));
    await settle();

    disk.free = TOTAL;
    clock.advance(1000);
    await settle();

    expect(growing.outcome).toBe('done');
  });

  it('counts what is on the disk already, whatever the limit, and refuses nobody for the bytes of a closed account', async () => {
    const { budget } = setup(1000);
    const found = budget.open(1500);
    const overLimit = budget.used;

    found.close();
    found.close();
    found.hold(10);
    await budget.open().grow(1000);

    expect(overLimit).toBe(1500);
    expect(budget.used).toBe(1000);
  });

  it('takes nothing for a draft that went while its writer waited', async () => {
    const { budget } = setup(1000);
    const [uploaded, writer] = [budget.open(1000), budget.open()];
    uploaded.setLeaving(true);
    const growing = growWaiting(budget, writer, 200);
    const outcome = expect(growing).rejects.toMatchObject(NO_SPACE);

    writer.close();
    uploaded.close();
    await outcome;

    expect(budget.used).toBe(0);
  });

  it('answers at once while a look is young and there is room; whom it cannot answer looks', async () => {
    const { budget, clock } = setup(1000);
    const account = budget.open();

    const unseen = account.take(10);
    await account.grow(10);
    const answers = [account.take(0), account.take(990), account.take(1)];
    account.shrinkTo(10);
    clock.advance(1001);

    expect([unseen, ...answers, account.take(1)]).toEqual([false, true, true, false, false]);
    expect([account.held, budget.used]).toEqual([10, 10]);
  });

  it('says what is wrong with the disk, and goes on when that has passed', async () => {
    const answers = [Promise.reject(new Error('EIO')), Promise.resolve({ free: TOTAL, total: TOTAL })];
    const disk = (): Promise<DiskSpace> => answers.shift() ?? Promise.reject(new Error('asked too often'));
    const budget = new SpaceBudget({ limit: 1000, disk, clock: new ManualClock() });
    const account = budget.open();

    await expect(account.grow(1)).rejects.toThrow('EIO');
    await account.grow(2);

    expect(budget.used).toBe(2);
  });
});

describe('any drafts that grow, shrink, leave and go', () => {
  const LIMIT = 100;
  const act = fc.record({
    which: fc.nat(3),
    what: fc.constantFrom<'grow' | 'shrink' | 'leaves' | 'stays' | 'close'>(
      ...(['grow', 'grow', 'grow', 'shrink', 'leaves', 'stays', 'close'] as const),
    ),
    bytes: fc.integer({ min: 1, max: 60 }),
    waits: fc.boolean(),
    settles: fc.boolean(),
  });

  it('never hold more than the limit, are counted once, and nobody waits for nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        const { budget, clock } = setup(LIMIT);
        const accounts: SpaceAccount[] = Array.from({ length: 4 }, () => budget.open());
        const growing: { readonly outcome: string }[] = [];
        const total = (): number => accounts.reduce((sum, account) => sum + account.held, 0);

        for (const { which, what, bytes, waits, settles } of acts) {
          const account = accounts[which] ?? budget.open();
          if (what === 'grow')
            growing.push(watched(waits ? growWaiting(budget, account, bytes) : account.grow(bytes)));
          if (what === 'shrink') account.shrinkTo(bytes);
          if (what === 'leaves') account.setLeaving(true);
          if (what === 'stays') account.setLeaving(false);
          if (what === 'close') {
            account.close();
            accounts[which] = budget.open();
          }
          if (settles) {
            await settle();
            expect(budget.used).toBe(total());
            expect(budget.used).toBeLessThanOrEqual(LIMIT);
          }
        }
        for (const account of accounts) account.setLeaving(false);
        await settle();
        clock.advance(1000);
        await settle();

        expect(growing.map(({ outcome }) => outcome)).not.toContain('waits');
        expect(budget.used).toBe(total());
        for (const account of accounts) account.close();
        expect(budget.used).toBe(0);
      }),
      propertySettings(300),
    );
  });
});

describe('bytes that can be had again', () => {
  it('give way to unsent ones, and are all that gives way', async () => {
    const clean = {
      used: 600,
      shrinkTo: (bytes: number) => {
        clean.used = Math.min(clean.used, Math.max(0, bytes));
        return Promise.resolve();
      },
    };
    const disk = () => Promise.resolve({ free: 1000 - clean.used - account.held, total: 1000 });
    const budget = new SpaceBudget({ limit: 1000, disk, clean, clock: new ManualClock() });
    const account: SpaceAccount = budget.open(300);

    await account.grow(400);
    expect(clean.used).toBeLessThanOrEqual(250);
    await expect(account.grow(300)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(account.held).toBe(700);
  });
});
