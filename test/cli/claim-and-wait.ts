/** A process that claims a state directory, or one name in a directory, says so, and lives until it is killed. */
import { ClaimSockets } from '../../src/cli/state/claim-sockets.ts';
import type { StateOwner } from '../../src/cli/state/state-directory.ts';
import { claimStateDirectory } from '../../src/cli/state/state-directory.ts';

const [home = '', owner = '', name] = process.argv.slice(2);
process.on('message', () => undefined);
if (name === undefined) {
  const { path, adopted } = await claimStateDirectory(home, JSON.parse(owner) as StateOwner);
  process.send?.({ path, adopted });
} else {
  const claim = await (await ClaimSockets.open(home)).claim(name);
  process.send?.({ path: home, adopted: [], isClaimed: claim !== undefined });
}
