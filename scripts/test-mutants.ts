/**
 * `npm run test:mutants`: each row of docs/COVERAGE.md, with the embedded server breaking its rule. Words after `--` choose the rows
 * that hold one of them. Ends with 1 when a row's tests do not all fail.
 */
import process from 'node:process';
import { coverageRows } from '../test/rules/rows.ts';
import { runRows, type RowOutcome } from '../test/mutants/run-rows.ts';

const words = process.argv.slice(2);
const chosen = coverageRows.filter((row) => {
  const text = Object.values(row).join(' ');
  return words.length === 0 || words.some((word) => text.includes(word));
});
const outcomes = await runRows(chosen, tell);
const survivors = outcomes.filter(({ problem }) => problem !== null);
for (const outcome of survivors) tell(outcome);
console.log(
  `${outcomes.length - survivors.length} rows fail when their rule is broken, ${survivors.length} do not`,
);
process.exitCode = survivors.length > 0 || outcomes.length === 0 ? 1 : 0;

function tell({ row, problem, firstFailure }: RowOutcome): void {
  const { section, rule, mutant } = row;
  console.log(`${problem === null ? 'fails   ' : 'SURVIVES'} ${section} ${rule}: the server ${mutant}`);
  console.log(`         ${problem ?? firstFailure}`);
}
