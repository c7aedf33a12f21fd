/**
 * Over which proxy is the service reached? Over the one that the setting names, else the one that the environment names for every program
 * (`HTTPS_PROXY` and so on, as curl reads it), which is never meant for this machine itself.
 *
 * Not by a library: those look at the environment of this process alone, take `proxy:3128` for one that speaks TLS, or pass over the subdomains of
 * what `NO_PROXY` has.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { hostOf, portOf } from '../../base/url-end.ts';
import { usageError } from '../command-error.ts';
import { isThisMachine } from './setting-values.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** By the setting. */
interface GivenProxy {
  readonly value: string | undefined;
  /** Where that stands on the command line, if it does. */
  readonly flag: string | undefined;
}

/** Says that there is none, whatever the environment names. */
const NO_PROXY_AT_ALL = 'off';
const COMPLAINT = `must be the address of a proxy, such as http://proxy.example:3128, or ${NO_PROXY_AT_ALL}`;

/** An http or https address, with or without a user and a password; or `off`. */
export const proxyValue = z.string(COMPLAINT).refine(isProxy, COMPLAINT);

/** Throws a usage error where a password stands on a command line, which every user of the machine can read, or the environment names what is none. */
export function proxyOf(
  baseUrl: string,
  { value, flag }: GivenProxy,
  environment: Environment,
): string | undefined {
  if (flag !== undefined && value?.includes('@') === true) {
    throw usageError(
      `${flag} holds a password, and a command line can be read by every user of this machine: set PAILFS_PROXY in the environment, or proxy in the config file`,
    );
  }
  if (value !== undefined) return value === NO_PROXY_AT_ALL ? undefined : value;
  const url = new URL(baseUrl);
  if (isThisMachine(url) || isExcepted(url, either(environment, 'no_proxy')?.value ?? '')) return undefined;
  return fromEnvironment(url, environment);
}

function fromEnvironment({ protocol }: URL, environment: Environment): string | undefined {
  const named = either(environment, protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  const found = named ?? either(environment, 'all_proxy');
  if (found === undefined) return undefined;
  const address = found.value.includes('://') ? found.value : `http://${found.value}`;
  if (isProxy(address)) return address;
  throw usageError(
    `environment ${found.name} names a proxy that cannot be used: it must be an http or https address; name another with --proxy, or none with --proxy off`,
  );
}

function either(
  environment: Environment,
  name: string,
): { readonly name: string; readonly value: string } | undefined {
  for (const each of [name, name.toUpperCase()]) {
    const value = environment[each];
    if (value !== undefined && value !== '') return { name: each, value };
  }
  return undefined;
}

/** `list`: names, each with what is below it, with or without a port; subnets; `*` is every one. */
function isExcepted(url: URL, list: string): boolean {
  const { hostname } = url;
  const itsPort = String(portOf(url));
  const words = list.toLowerCase().split(/[\s,]+/);
  return words.some((word) => {
    if (word.includes('/')) return isInSubnet(hostOf(url), word);
    const [, name = '', onlyPort = itsPort] = /^(.*?)(?::(\d+))?$/.exec(word) ?? [];
    const host = name.replace(/^\*?\./, '');
    if (host === '' || onlyPort !== itsPort) return false;
    return host === '*' || hostname === host || hostname === `[${host}]` || hostname.endsWith(`.${host}`);
  });
}

function isInSubnet(address: string, subnet: string): boolean {
  const [network = '', bits = ''] = subnet.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const isOne = isIP(address) !== 0 && isIP(network) === isIP(address) && /^\d{1,3}$/.test(bits);
  if (!isOne || Number(bits) > (family === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

function isProxy(text: string): boolean {
  if (text === NO_PROXY_AT_ALL) return true;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    /^https?:\/\//i.test(text) &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === ''
  );
}
