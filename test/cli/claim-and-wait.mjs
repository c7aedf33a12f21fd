// A process that claims a state directory, says which, and lives until it is killed. Runs the built program.
import { claimStateDirectory } from '../../dist/cli/state-directory.js';

const [home, owner] = process.argv.slice(2);
const { path } = await claimStateDirectory(home, JSON.parse(owner));
process.on('message', () => process.exit());
process.send(path);
