/** Under which settings of the switches is the contract tested? Each alone, then mixtures that are the same every time. */
import { behaviourChoices, type Behaviours } from '../../src/server/behaviours.ts';

export type Setting = Partial<Behaviours>;

/** All but the one that has a thousand requests wait for time to pass. */
const CHOICES = Object.entries(behaviourChoices).filter(([name]) => name !== 'requestsPerSecond');

/** The default, and every other value of every switch alone. */
export function singleSettings(): Setting[] {
  const settings: Setting[] = [{}];
  for (const [name, choices] of CHOICES)
    for (const choice of choices.slice(1)) settings.push({ [name]: choice });
  return settings;
}

export function mixedSettings(count: number): Setting[] {
  const next = seeded(20260101);
  return Array.from({ length: count }, () =>
    Object.fromEntries(CHOICES.map(([name, choices]) => [name, choices[next() % choices.length]])),
  );
}

/** Numbers that look random and are the same in every run (xorshift). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
