/** How does a path stand in a command that a person is told to run? */

/** As it is, or quoted for a shell. */
export function shellWord(path: string): string {
  return /^[\p{L}\p{N}@%+=:,./_-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
