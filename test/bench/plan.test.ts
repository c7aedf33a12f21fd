/** What of a suite is played, and by whom. */
import { describe, expect, it } from 'vitest';
import type { SuiteOptions } from '../../bench/frame/suite.ts';
import type { MountSubject } from '../../bench/mounts/subjects.ts';
import { Plan } from '../../bench/storage/plan.ts';
import { OTHERS } from '../../bench/storage/players.ts';
import type { Scene, Step } from '../../bench/storage/scenes.ts';

const nothing = (): Promise<void> => Promise.resolve();
const EVERYTHING: Omit<SuiteOptions, 'scale'> = { workloads: [], subjects: [], profiles: [] };

const mount: MountSubject = {
  name: 'pailfs',
  serving: () => ({ program: 'pailfs', parameters: () => [] }),
};
const cat: Step = { name: 'cat', onMount: nothing, onFloor: nothing };
const catAgain: Step = { name: 'cat again', onMount: nothing, onDisk: nothing };
const grep: Step = { name: 'grep', onMount: nothing, onFloor: nothing, floorWidths: [8] };
const scenes: readonly Scene[] = [
  { contents: null, steps: [cat, catAgain] },
  { contents: null, steps: [grep] },
];
const players = [mount, ...OTHERS];

describe('a plan', () => {
  it('has every scene over each network, and everybody who can do anything in one', () => {
    const plan = new Plan(EVERYTHING, scenes, players);

    expect(plan.plays.map(({ profile, scene }) => [profile.name, scene.steps[0]?.name])).toEqual([
      ['1 ms', 'cat'],
      ['1 ms', 'grep'],
      ['25 ms', 'cat'],
      ['25 ms', 'grep'],
    ]);
    expect(plan.players).toEqual(players);
  });

  it('has the steps that were asked for, and the scenes that lead to them', () => {
    const plan = new Plan({ ...EVERYTHING, workloads: ['again'], profiles: ['25'] }, scenes, players);

    expect(plan.plays.map(({ scene }) => scene.steps)).toEqual([[cat, catAgain]]);
    expect(plan.times).toEqual(['cat again, 25 ms']);
  });

  it('leaves out who has no way to do what was asked for, if only what leads to it', () => {
    const again = new Plan({ ...EVERYTHING, workloads: ['again'] }, scenes, players);
    const greps = new Plan({ ...EVERYTHING, workloads: ['grep'] }, scenes, players);

    expect(again.players.map(({ name }) => name)).toEqual(['pailfs', 'local disk']);
    expect(greps.players.map(({ name }) => name)).toEqual(['pailfs', 'floor, 8 at a time']);
  });

  it('has the subjects that were asked for', () => {
    const plan = new Plan({ ...EVERYTHING, subjects: ['floor, 1', 'disk'] }, scenes, players);

    expect(plan.players.map(({ name }) => name)).toEqual(['floor, 1 at a time', 'local disk']);
  });
});
