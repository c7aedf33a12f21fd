/** How does a test get a machine with a network of its own? A network namespace, with one line to this machine. */
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { shell } from './shell.ts';

/** A network that is not this machine's: its loopback leads nowhere, and one address to this machine. */
export interface NetworkNamespace {
  /** That nsenter(1) enters. */
  readonly file: string;
  /** This machine's, as seen from there. */
  readonly hostAddress: string;
}

const AS_ROOT = process.getuid?.() === 0 ? '' : 'sudo -n';

/** The words that run `command` there, as this user. */
export function inNetwork({ file }: NetworkNamespace, command: readonly string[]): string[] {
  const enter = ['nsenter', `--net=${file}`];
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (user === 0) return [...enter, ...command];
  const asBefore = ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups'];
  return ['sudo', '-n', '--preserve-env', ...enter, ...asBefore, ...command];
}

/** As root, or by sudo without a password. Gone at the end of the test. `subnet` (0 to 63) is no other's. */
export async function openNetworkNamespace(subnet: number): Promise<NetworkNamespace> {
  const name = `pailfs-${randomBytes(4).toString('hex')}`;
  const [outer, inner] = [`po${name.slice(-8)}`, `pi${name.slice(-8)}`];
  const hostAddress = `10.213.77.${subnet * 4 + 1}`;
  const ownAddress = `10.213.77.${subnet * 4 + 2}`;
  onTestFinished(async () => {
    // With it goes its end of the line, and so the line.
    await shell('/', `${AS_ROOT} ip netns delete ${name}`);
  });
  const { exit, errors } = await shell(
    '/',
    `${AS_ROOT} sh -ec '
    ip netns add ${name}
    ip link add ${outer} type veth peer name ${inner} netns ${name}
    ip address add ${hostAddress}/30 dev ${outer}
    ip link set ${outer} up
    ip -n ${name} address add ${ownAddress}/30 dev ${inner}
    ip -n ${name} link set ${inner} up
    ip -n ${name} link set lo up'`,
  );
  if (exit !== 0) throw new Error(`a network could not be made: ${errors}`);
  return { file: `/run/netns/${name}`, hostAddress };
}
