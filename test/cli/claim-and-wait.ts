/** A process that claims a state directory, says which, and lives until it is killed. */
import type { StateOwner } from '../../src/cli/state-directory.ts';
import { claimStateDirectory } from '../../src/cli/state-directory.ts';

const [home = '', owner = ''] = process.argv.slice(2);
const { path } = await claimStateDirectory(home, JSON.parse(owner) as StateOwner);
process.on('message', () => undefined);
process.send?.(path);
