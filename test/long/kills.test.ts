/** SEMANTICS: mounts that are killed a hundred times; with PAILFS_CRASH_SEED as in an earlier run. */
import { describeKills } from '../crash/describe-kills.ts';

const KILLS = Number(process.env['PAILFS_CRASH_KILLS'] ?? 100);
const SEED = Number(process.env['PAILFS_CRASH_SEED'] ?? Date.now() % 1_000_000);

describeKills({
  kills: KILLS,
  folderKills: Math.ceil(KILLS / 4),
  modes: ['write-through', 'write-back'],
  seed: SEED,
});
