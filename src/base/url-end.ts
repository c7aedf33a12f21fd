/** To which host and port does a web address lead? */

/** As node:net takes it: an IPv6 address without brackets. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Also where the address leaves it to its scheme, http or https. */
export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
