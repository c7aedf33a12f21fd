/**
 * Which files of a folder will a program open next?
 *
 * Programs that read a whole folder (cat *, grep -r, tar, cp -r, rsync) open its files in the order of the listing, or sorted as
 * people sort. Several may do so at the same time, and one that runs many helpers opens neighbours in the wrong order: a file
 * that was left out is a wrong guess only when it does not follow soon. Pure: it asks and fetches nothing.
 */

/** Places that a file may be opened before its turn. */
const SLACK = 16;
/** Runs followed at the same time in one folder, and single opens remembered that one may begin with. */
const MOST_RUNS = 16;
/** Files fetched ahead when a run begins; one more with each that was of use, so twice as many each time all of them were. */
const FIRST_WINDOW = 2;
/** Files on their way or unread for one run. */
const MOST_FILES = 32;
/** Other files of the folder that are opened after a run's last one: by then its program reads elsewhere. */
const LEFT_AFTER = 8;

/** Names in an order in which programs may open them. */
export class FileOrder {
  readonly names: readonly string[];
  readonly #places = new Map<string, number>();

  constructor(names: readonly string[]) {
    this.names = names;
    names.forEach((name, place) => this.#places.set(name, place));
  }

  placeOf(name: string): number | undefined {
    return this.#places.get(name);
  }
}

/** Files that are opened one after the other. */
export class SiblingRun {
  readonly order: FileOrder;
  /** The place of the first file that was not opened. */
  next: number;
  /** How many files may be fetched ahead; 0 for good once that has failed. */
  window = FIRST_WINDOW;
  /** Files opened so far. */
  opens = 0;
  /** Monotonic milliseconds; of the last open, and between the last two. */
  usedAt = 0;
  interval = 0;
  /** Files that were fetched ahead, and those of them that were opened. */
  fetched = 0;
  used = 0;
  /** So many files it has to have opened, or more, before any is fetched ahead. */
  needed = 0;
  /** Its last file's number among those that were opened in the folder. */
  lastOpen = 0;
  isLeft = false;
  /** Opened before their turn. */
  readonly #early = new Set<number>();

  /** Begins with the files before `next`. */
  constructor(order: FileOrder, next: number) {
    this.order = order;
    this.next = next;
  }

  /** Whether what is fetched ahead is what comes next, as far as anybody can tell. */
  get isInOrder(): boolean {
    return this.#early.size === 0 && this.opens >= this.needed;
  }

  /** How many files it has opened in order when too much of what was fetched for it was for nobody; 0: it was not. */
  get lengthInVain(): number {
    const inVain = this.fetched - this.used;
    return inVain > this.fetched / 4 ? this.opens - this.#early.size : 0;
  }

  /** Whether a program has left out a file: it is not on its way through the folder. */
  get isLost(): boolean {
    return this.#early.size > SLACK / 2;
  }

  get isAtEnd(): boolean {
    return this.next >= this.order.names.length;
  }

  takes(place: number): boolean {
    return !this.isAtEnd && place >= this.next - SLACK && place < this.next + SLACK;
  }

  /** A file of the run is opened at `now`. */
  use(now: number): void {
    if (this.usedAt > 0) this.interval = now - this.usedAt;
    this.usedAt = now;
  }

  /** As many of the next files as are likely to be opened within `time`, milliseconds. */
  within(time: number): number {
    return this.interval === 0 ? this.window : Math.min(this.window, Math.floor(time / this.interval));
  }

  /** The file at `place` is opened; whether it had been fetched ahead. */
  note(place: number, wasFetched: boolean): void {
    if (wasFetched) this.used += 1;
    if (place < this.next) return;
    this.opens += 1;
    if (wasFetched && this.window > 0) this.window = Math.min(MOST_FILES, this.window + 1);
    this.#early.add(place);
    while (this.#early.delete(this.next)) this.next += 1;
  }
}

/** The runs in one folder. */
export class SiblingRuns {
  readonly #listed: FileOrder;
  /** As people sort; null until it is needed. */
  #sorted: FileOrder | null = null;
  #runs: SiblingRun[] = [];
  /** Opened lately, and of no run; the last one last. */
  #singles: string[] = [];
  /** Files opened so far. */
  #opens = 0;
  /**
   * So many files a new run has to open before any is fetched ahead: one more than those that were left had opened, or twice as many files would be fetched as
   * are read by a program that reads some in a row and goes on elsewhere.
   */
  #needed = 0;

  /** The names of the files that have bytes, in the order of the listing. */
  constructor(names: readonly string[]) {
    this.#listed = new FileOrder(names);
  }

  /** The name's run, which has taken note of it. `walkWindow`: the program has just read another folder to its end with that window. */
  opened(name: string, wasFetched: boolean, walkWindow: number | null): SiblingRun | null {
    this.#opens += 1;
    for (const run of this.#runs) {
      const place = run.order.placeOf(name);
      if (place === undefined || !run.takes(place)) continue;
      run.note(place, wasFetched);
      this.#goesOn(run);
      return run;
    }
    this.#learnOfLeft();
    const run = this.#begun(name, walkWindow);
    if (run === null) {
      this.#singles = [...this.#singles.slice(1 - MOST_RUNS), name];
      return null;
    }
    run.needed = this.#needed;
    run.lastOpen = this.#opens;
    if (!run.isAtEnd) this.#runs = [...this.#runs.slice(1 - MOST_RUNS), run];
    return run;
  }

  /** As `opened`, for a folder that was listed anew: its runs go on where they were. */
  continuing(before: SiblingRuns): void {
    this.#singles = before.#singles;
    this.#opens = before.#opens;
    this.#needed = before.#needed;
    for (const run of before.#runs) {
      const last = run.order.names[run.next - 1];
      const order = run.order === before.#listed ? this.#listed : this.#inSortedOrder();
      const place = last === undefined ? undefined : order.placeOf(last);
      if (place === undefined) continue;
      const next = new SiblingRun(order, place + 1);
      const { window, opens, usedAt, interval, fetched, used, needed, lastOpen, isLeft } = run;
      const known = { window, opens, usedAt, interval, fetched, used, needed, lastOpen, isLeft };
      this.#runs.push(Object.assign(next, known));
    }
  }

  #goesOn(run: SiblingRun): void {
    // It was not left after all, or its program reads folders whole.
    if (run.isLeft || run.isAtEnd) this.#needed = 0;
    run.isLeft = false;
    run.lastOpen = this.#opens;
    if (run.isLost) this.#learn(run);
    if (run.isLost || run.isAtEnd) this.#runs = this.#runs.filter((other) => other !== run);
  }

  #learnOfLeft(): void {
    for (const run of this.#runs) {
      if (run.isLeft || this.#opens - run.lastOpen < LEFT_AFTER) continue;
      run.isLeft = true;
      this.#learn(run);
    }
  }

  #learn({ lengthInVain }: SiblingRun): void {
    if (lengthInVain > 0) this.#needed = Math.min(MOST_FILES, Math.max(this.#needed, lengthInVain + 1));
  }

  /** A run that begins with this file: the one before it was opened, too, or it is a walk's next folder. */
  #begun(name: string, walkWindow: number | null): SiblingRun | null {
    const atFirst = this.#listed.placeOf(name) === 0 && walkWindow !== null;
    if (atFirst) {
      const run = new SiblingRun(this.#listed, 0);
      run.window = walkWindow;
      run.opens = 1;
      run.note(0, false);
      return run;
    }
    if (this.#singles.length === 0) return null;
    for (const order of [this.#listed, this.#inSortedOrder()]) {
      const place = order.placeOf(name);
      const before = place === undefined ? undefined : order.names[place - 1];
      if (place === undefined || before === undefined || !this.#singles.includes(before)) continue;
      const run = new SiblingRun(order, place - 1);
      for (const single of [...this.#singles, name]) {
        const other = order.placeOf(single);
        if (other !== undefined && run.takes(other)) run.note(other, false);
      }
      this.#singles = this.#singles.filter((single) => {
        const other = order.placeOf(single);
        return other === undefined || !run.takes(other);
      });
      return run;
    }
    return null;
  }

  #inSortedOrder(): FileOrder {
    if (this.#sorted === null) {
      const { compare } = new Intl.Collator('en');
      this.#sorted = new FileOrder([...this.#listed.names].sort(compare));
    }
    return this.#sorted;
  }
}
