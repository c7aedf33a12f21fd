/** SEMANTICS: mounts that are killed; test/long kills more often. */
import { describeKills } from '../crash/describe-kills.ts';

describeKills({
  kills: 10,
  folderKills: 2,
  modes: ['write-through', 'write-back'],
  seed: Number(process.env['PAILFS_CRASH_SEED'] ?? 1),
});
