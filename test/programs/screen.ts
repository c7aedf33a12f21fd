/** How is a program used that wants a screen? */

/** The screen shows this (a pattern of grep) before these keys (a format of printf) are typed. */
export type Keys = readonly [shown: string, typed: string];

/**
 * A script that runs `command` on a screen of its own and types as it goes; exits with what the program did, or is ended after
 * two minutes in which the screen does not show what it should.
 */
export function onScreen(command: string, keys: readonly Keys[]): string {
  const typing = keys.map(([shown, typed]) => `typeWhen '${shown}' '${typed}'`).join(' && ');
  return `
    screen="$1/screen"; : > "$screen"
    shows() { for _ in $(seq 2400); do grep -aq -- "$1" "$screen" && return; sleep 0.05; done; echo "the screen never showed $1" >&2; return 1; }
    typeWhen() { shows "$1" && : > "$screen" && printf "$2"; }
    { ${typing} && shows 'COMMAND_EXIT_CODE'; } | timeout --foreground 300 script -qfea -c ${quote(command)} "$screen" > "$1/shown"
  `;
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
