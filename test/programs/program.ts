/** What does a program do on a mount, and which requests may it cost? Data: run by run-program.ts, shown by cost-table.ts. */

/** The kinds of requests that are told apart. `folder` makes one; `visibility` asks for it or sets it; `links` makes one. */
export type RequestKind =
  'put' | 'get' | 'head' | 'list' | 'delete' | 'folder' | 'visibility' | 'link' | 'bucket';

/** As many, or from so many to so many where time decides; a kind that is not named: none. */
export type Costs = Readonly<Partial<Record<RequestKind, number | readonly [least: number, most: number]>>>;

export interface Step {
  /** For people, in the table. Absent: a step that only prepares, and is not counted. */
  readonly what?: string;
  /** Run by sh in the program's own folder, `$1` being a directory outside of the mount. */
  readonly script: string;
  readonly costs?: Costs;
}

export interface Program {
  /** Also the name of its folder. */
  readonly name: string;
  /** Prints the version; the costs are those of versions that begin with `counted`. */
  readonly version?: { readonly command: string; readonly counted: string };
  /** Files of the folder that somebody else stored before, and whether they are public. */
  readonly stored?: Readonly<
    Record<string, { readonly content: string; readonly visibility?: 'public' | 'private' }>
  >;
  readonly steps: readonly Step[];
  /** Whether the service must end up with the very files that the same steps leave on a local disk. */
  readonly endsAsOnDisk: boolean;
  /** Run in a copy of what the service holds: exits with 0 when all is well. */
  readonly check?: string;
}
