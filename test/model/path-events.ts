/** Which contents may a path have after programs have run at the same time? Every one that no later success has replaced. */

/** One operation that changes what `path` holds, with the moments (a counter) at which it began and ended. */
export interface PathEvent {
  readonly path: string;
  readonly begun: number;
  /** Infinity when it failed: its bytes may arrive later, or never. */
  readonly ended: number;
  /** When a failure was told. */
  readonly failed?: number;
  /** The stamp that it leaves; null when the name goes; `moved` and `turned`: see there. */
  readonly leaves: string | null;
  /** Somebody else's doing, which this mount may not know of yet. */
  readonly isForeign?: boolean;
  /** It empties the file before it writes. */
  readonly empties?: boolean;
  /** What goes is a draft, or what a rename has copied: not what somebody else has stored there meanwhile. */
  readonly sparesForeign?: boolean;
  /** When it fails, what it has taken away comes back. */
  readonly putsBack?: boolean;
}

/** A rename brings whatever was at the other name. */
export const MOVED = 'moved';
/** The rename of a folder brings whatever was at the other name, or nothing. */
export const TURNED = 'turned';

const isBrought = (leaves: string | null): boolean => leaves === MOVED || leaves === TURNED;

export class PathEvents {
  /** With write-back: the service hears of what programs do here after they were told that it is done. */
  readonly #isPromised: boolean;
  readonly #events: PathEvent[] = [];
  #now = 0;

  constructor(isPromised = false) {
    this.#isPromised = isPromised;
  }

  tick(): number {
    this.#now += 1;
    return this.#now;
  }

  add(event: PathEvent): void {
    this.#events.push(event);
  }

  /**
   * Why `path` cannot hold `stamp` (null: nothing; undefined: anything) at the end; null when it can. `inCopies`: the stamps that
   * conflicts have kept under other names.
   */
  objection(path: string, stamp: string | null | undefined, inCopies: ReadonlySet<string>): string | null {
    const here = this.#events
      .filter((event) => event.path === path)
      .map((event) => withCopies(event, this.#events, inCopies));
    // A name that was free for all that the mount knew is made free again when the rename to it fails.
    const mayBeFreed = here.some(({ isForeign }) => isForeign === true);
    const causes = here.filter(({ leaves, ended }) =>
      stamp === null
        ? leaves === null || leaves === TURNED || (mayBeFreed && leaves === MOVED && ended === Infinity)
        : leaves === stamp || isBrought(leaves) || (stamp === undefined && leaves !== null),
    );
    const begin = { path, begun: 0, ended: 0, leaves: null };
    if (stamp === null) causes.push(begin);
    const written = this.#events.filter(({ leaves }) => leaves === stamp).map(({ ended }) => ended);
    const accepted = causes.some((cause) => {
      const ended = isBrought(cause.leaves) ? Math.max(cause.ended, ...written) : cause.ended;
      return !here.some((later) => {
        const isSpared = cause.isForeign === true && later.sparesForeign === true;
        // Who empties a file and then fails takes along what others have written and not yet stored.
        const mayBeEmptied = here.some(
          (other) => other.empties === true && other.ended === Infinity && other.begun < later.ended,
        );
        const mayComeAfter = this.#isPromised && later.isForeign === true && cause.isForeign !== true;
        const isOver = later.ended !== Infinity && later.begun > ended;
        const wasNeverSent =
          cause.isForeign === true &&
          (isUnsentUnlinked(later, here) || (this.#isPromised && isLetGoLater(later, here)));
        const mayBeUndone = cause.isForeign !== true && isLostInUndo(later, here);
        return isOver && !isSpared && !mayBeEmptied && !mayComeAfter && !wasNeverSent && !mayBeUndone;
      });
    });
    if (accepted) return null;
    const told = here.map(({ begun, ended, leaves }) => `[${begun}, ${ended}] ${leaves ?? 'gone'}`);
    return `${path} holds ${stamp ?? 'nothing'} after ${told.join(', ')}`;
  }
}

/**
 * Whether `event` is of a file that was written and unlinked before its close: its bytes were not sent, nor was anything deleted that
 * this mount knew to be stored.
 */
function isUnsentUnlinked(event: PathEvent, events: readonly PathEvent[]): boolean {
  const isWrite = ({ leaves, isForeign }: PathEvent): boolean =>
    leaves !== null && !isBrought(leaves) && isForeign !== true;
  return events.some(
    (other) =>
      other.begun < event.ended &&
      event.begun < other.ended &&
      ((event.leaves === null && isWrite(other)) || (isWrite(event) && other.leaves === null)),
  );
}

/** Whether the name went after `event`: what was only promised until then went, or moved on, without a request to the service. */
function isLetGoLater(event: PathEvent, events: readonly PathEvent[]): boolean {
  return events.some(({ leaves, ended }) => leaves === null && ended !== Infinity && event.begun < ended);
}

/**
 * `[rename/version]`: a file that was stored here less than a second ago is removed without a look, and after a look others may still be
 * quicker: what they have stored in its place goes then, and a rename that fails brings back what it had copied.
 */
function isLostInUndo(event: PathEvent, events: readonly PathEvent[]): boolean {
  if (event.isForeign !== true) return false;
  return events.some(({ putsBack, failed = 0 }) => putsBack === true && event.begun < failed);
}

/** Whoever has the file of a conflict open goes along to its copy: what it writes there does not count as written to the path. */
function withCopies(event: PathEvent, all: readonly PathEvent[], inCopies: ReadonlySet<string>): PathEvent {
  if (event.isForeign === true || event.leaves === null || isBrought(event.leaves)) return event;
  const ends = all.filter(({ leaves }) => leaves !== null && inCopies.has(leaves)).map(({ ended }) => ended);
  return event.begun < Math.max(-1, ...ends) ? { ...event, ended: Infinity } : event;
}
