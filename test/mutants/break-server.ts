/** Which rule does the embedded server break in this run? Loaded by vitest before each test file: PAILFS_MUTANT says. */
import { mutants } from './mutants.ts';

const name = process.env['PAILFS_MUTANT'] ?? '';
if (name !== '') {
  const mutant = mutants.get(name);
  if (mutant === undefined) throw new Error(`there is no mutant "${name}"`);
  mutant();
}
