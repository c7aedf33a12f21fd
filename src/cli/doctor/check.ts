/** What does `pailfs doctor` find out about one thing? */
import { MountError } from '../../fuse/driver.ts';
import { CommandError } from '../command-error.ts';

/** `warning`: it works, but not as well as it could; `unknown`: it could not be found out. */
export type CheckState = 'ok' | 'warning' | 'broken' | 'unknown';

/** `--json` prints a list of these. */
export interface Check {
  readonly check: string;
  readonly state: CheckState;
  /** One line; with its remedy when the state is neither `ok` nor `unknown`. */
  readonly says: string;
}

/** A finding, before it is known what was looked at. */
export type Finding = Omit<Check, 'check'>;

export const well = (says: string): Finding => ({ state: 'ok', says });
export const warning = (says: string): Finding => ({ state: 'warning', says });
export const broken = (says: string): Finding => ({ state: 'broken', says });
export const unknown = (says: string): Finding => ({ state: 'unknown', says });

/** An error that was foreseen, and so says what to do, becomes a finding. Rejects with any other. */
export async function checked(check: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof MountError)) throw error;
    return { check, ...broken(error.message) };
  }
}
