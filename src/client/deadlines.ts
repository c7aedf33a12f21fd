/** How long does the client wait for what? All in milliseconds. */

/** How long each wait may last, in milliseconds. */
export interface Deadlines {
  /** From asking for a connection to having it, TLS included. */
  readonly connect: number;
  /** From sending a request without a body of ours to its answer's headers. */
  readonly headers: number;
  /** Between two pieces of an answer's body, while somebody waits for them. */
  readonly bodyIdle: number;
  /** One metadata call in all: tries, waits between them, and the body. */
  readonly metadata: number;
  /** One `getObject` until its headers, tries and waits included; its body may last while it moves. */
  readonly read: number;
  /** An upload during which the service takes no byte and gives no answer. */
  readonly uploadIdle: number;
}

/** What a mount uses unless told otherwise. */
export const DEFAULT_DEADLINES: Deadlines = {
  connect: 5_000,
  headers: 20_000,
  bodyIdle: 20_000,
  metadata: 30_000,
  read: 60_000,
  uploadIdle: 60_000,
};
