/** In which order are subjects measured? In turns, stage by stage, each round beginning with another one: what disturbs the machine disturbs all alike. */
import { Measurements } from './measurements.ts';
import type { Suite } from './suite.ts';

/** Measures `rounds` times. `progress` hears of each subject's turn. */
export async function runRounds(
  suite: Suite,
  rounds: number,
  progress: (line: string) => void,
): Promise<Measurements> {
  const measurements = new Measurements();
  for (let round = 0; round < rounds; round += 1) {
    const first = round % suite.subjects.length;
    for (const stage of suite.stages) {
      for (const subject of [...suite.subjects.slice(first), ...suite.subjects.slice(0, first)]) {
        progress(`round ${round + 1} of ${rounds}, ${stage.name}: ${subject}`);
        await stage.measure(subject, (workload, value) => {
          progress(`  ${workload}: ${value.toPrecision(4)}`);
          measurements.add(workload, subject, value);
        });
      }
    }
  }
  return measurements;
}
